# Each recipe is one command; whatever takes thought is code in bins/xtask or a test.

# lints, as one edits
check:
    cargo clippy --workspace --all-targets --locked -- -D warnings

# everything
test:
    cargo xtask test

# rewrite the pages and exchanges that tests print
update *names:
    cargo xtask update {{ names }}

# a throwaway PostgreSQL until Ctrl-C
db:
    cargo xtask postgres

# what the continuous integration runs
ci:
    .ci/run

# bans, licences and sources of the dependencies
deny:
    cargo deny --locked check bans licenses sources
