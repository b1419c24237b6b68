#!/bin/sh
# The application's role: it owns its database and nothing else, and no policy is waived for it.
set -eu
psql --set=ON_ERROR_STOP=1 --username="${POSTGRES_USER:-postgres}" --set=password="$STUDIO_PASSWORD" <<'SQL'
CREATE ROLE studio LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE PASSWORD :'password';
CREATE DATABASE studio OWNER studio ENCODING 'UTF8' TEMPLATE template0;
SQL
