# Keeps one PostgreSQL until its own standard input ends. The other end is held by xtask alone: xtask closes it when
# it is done, and the kernel closes it however else xtask may die. So no server and no folder ever outlives a run.
#
# Arguments: the folder to make, the port, the folder of PostgreSQL's programs, and settings as in `-c name=value`.
set -eu
folder=$1 port=$2 programs=$3
shift 3

mkdir -m 700 "$folder"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
exec 3<&0

# PostgreSQL refuses to run as root. `exec`, so that the process that we start is the server and no shell around it.
if [ "$(id -u)" = 0 ]; then
    chown postgres: .
    as_owner() { exec setpriv --reuid=postgres --regid=postgres --clear-groups -- "$@"; }
else
    as_owner() { exec "$@"; }
fi

(as_owner "$programs/initdb" --pgdata=data --username=cobro --auth=trust --encoding=UTF8 --locale=C.UTF-8 --no-sync) \
    >log 2>&1 3<&- || { cat log >&2; exit 1; }

# A crash of the machine may cost us the data, a commit may not lie about its order: fsync and the copies of pages that
# repair it go, synchronous_commit stays. What is measured has all: a later setting wins.
as_owner "$programs/postgres" -D data -p "$port" \
    -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=200 \
    -c fsync=off -c full_page_writes=off -c synchronous_commit=on "$@" >log 2>&1 3<&- &
server=$!

# SIGINT is PostgreSQL's fast shutdown: it sends its clients away instead of waiting for them.
(read -r _ <&3 || kill -INT "$server") 2>/dev/null &

wait "$server" || { tail -n 20 log >&2; exit 1; }
