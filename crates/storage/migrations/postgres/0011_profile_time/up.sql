-- When a profile was written last. Of one from before this column it is known that it is as old as its merchant.
ALTER TABLE profiles ADD COLUMN updated_at bigint NOT NULL DEFAULT 0;
ALTER TABLE merchants NO FORCE ROW LEVEL SECURITY;
ALTER TABLE profiles NO FORCE ROW LEVEL SECURITY;
UPDATE profiles SET updated_at = (SELECT created_at FROM merchants WHERE merchants.id = profiles.merchant);
ALTER TABLE profiles FORCE ROW LEVEL SECURITY;
ALTER TABLE merchants FORCE ROW LEVEL SECURITY;
ALTER TABLE profiles ALTER COLUMN updated_at DROP DEFAULT;
