# Each recipe is one command; any logic is code in bins/xtask or a test.

# lints, while editing
check:
    cargo clippy --workspace --all-targets --locked -- -D warnings

# all checks
test:
    cargo xtask test

# rewrite generated pages and golden files
update *names:
    cargo xtask update {{ names }}

# a throwaway PostgreSQL until Ctrl-C
db:
    cargo xtask postgres

# the command of continuous integration
ci:
    .ci/run

# bans, licences and sources of the dependencies
deny:
    cargo deny --locked check bans licenses sources
