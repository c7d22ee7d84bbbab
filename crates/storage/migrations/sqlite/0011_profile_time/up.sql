-- When a profile was written last. Of one from before this column it is known that it is as old as its merchant.
ALTER TABLE profiles ADD COLUMN updated_at integer NOT NULL DEFAULT 0;
UPDATE profiles SET updated_at = (SELECT created_at FROM merchants WHERE merchants.id = profiles.merchant);
