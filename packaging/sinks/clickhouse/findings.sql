-- findings.sql: tables and views of ClickHouse for the lines of the option json=, in a database of their own.
-- Lines are inserted into cusafe.lines, which parses them once: clickhouse-client -q 'INSERT INTO cusafe.lines FORMAT LineAsString' < findings.json
-- Lines that a crash has truncated are skipped. Lines of `cusafe findings merge` count as the lines that they merge.
CREATE DATABASE IF NOT EXISTS cusafe;

CREATE TABLE IF NOT EXISTS cusafe.findings (
  fingerprint FixedString(16),
  "group" FixedString(16),
  kind LowCardinality(String),
  message String CODEC(ZSTD(3)),
  kernel LowCardinality(String),
  host LowCardinality(String),
  pid UInt64,
  run String,
  cusafe LowCardinality(String),
  build LowCardinality(String),
  file LowCardinality(String),
  source_line UInt64,
  lines UInt64,
  errors UInt64,
  first DateTime64(3, 'UTC'),
  last DateTime64(3, 'UTC'),
  line String CODEC(ZSTD(3)) -- the finding as CuSafe has written it
) ENGINE = MergeTree ORDER BY (fingerprint, first);

CREATE TABLE IF NOT EXISTS cusafe.lines (line String) ENGINE = Null;

CREATE MATERIALIZED VIEW IF NOT EXISTS cusafe.parse TO cusafe.findings AS
WITH JSONExtract(line, 'Tuple(type String, fingerprint String, "group" String, kind String, message String, kernel String, host String, pid UInt64, run String, cusafe String, count UInt64, time String, place Tuple(file String, line UInt64, module String), merged Tuple(lines UInt64, errors UInt64, first String, last String))') AS f,
     f.merged.lines > 0 AS is_merged
SELECT f.fingerprint AS fingerprint, f."group" AS "group", f.kind AS kind, f.message AS message, f.kernel AS kernel, f.host AS host, f.pid AS pid, f.run AS run,
       f.cusafe AS cusafe, f.place.module AS build, f.place.file AS file, f.place.line AS source_line,
       if(is_merged, f.merged.lines, 1) AS lines,
       if(is_merged, f.merged.errors, f.count) AS errors,
       parseDateTime64BestEffortOrZero(if(is_merged, f.merged.first, f.time), 3, 'UTC') AS first,
       parseDateTime64BestEffortOrZero(if(is_merged, f.merged.last, f.time), 3, 'UTC') AS last,
       line
FROM cusafe.lines
WHERE f.type = 'finding' AND isValidJSON(line);

-- One row a bug: when it was first and last seen, and how often.
CREATE OR REPLACE VIEW cusafe.bugs AS
SELECT fingerprint, any("group") AS "group", any(kind) AS kind, min(f.first) AS first, max(f.last) AS last, sum(f.lines) AS lines, sum(f.errors) AS errors,
       uniqExact(host) AS hosts, any(file) AS file, any(source_line) AS source_line, any(kernel) AS kernel, argMin(message, f.first) AS message
FROM cusafe.findings AS f GROUP BY fingerprint;

-- Bugs that no line before this time has: SELECT * FROM cusafe.new_since(since = now() - INTERVAL 1 DAY);
CREATE OR REPLACE VIEW cusafe.new_since AS SELECT * FROM cusafe.bugs WHERE first >= {since:DateTime64(3, 'UTC')} ORDER BY first, fingerprint;

-- Bugs by the build of their device code. A bug that another build has under the same fingerprint has a row for each.
CREATE OR REPLACE VIEW cusafe.builds AS
SELECT build, fingerprint, any(kind) AS kind, min(f.first) AS first, max(f.last) AS last, sum(f.lines) AS lines, any(file) AS file, any(source_line) AS source_line
FROM cusafe.findings AS f GROUP BY build, fingerprint ORDER BY build, fingerprint;

CREATE OR REPLACE VIEW cusafe.top_groups AS
SELECT "group", any(kind) AS kind, sum(b.lines) AS lines, sum(b.errors) AS errors, count() AS bugs, any(file) AS file, any(source_line) AS source_line
FROM cusafe.bugs AS b GROUP BY "group" ORDER BY lines DESC, "group" LIMIT {rows:UInt64};

CREATE OR REPLACE VIEW cusafe.hosts_of AS
SELECT host, min(f.first) AS first, max(f.last) AS last, sum(f.lines) AS lines, uniqExact(run) AS runs
FROM cusafe.findings AS f WHERE fingerprint = {bug:String} GROUP BY host ORDER BY host;

-- A CODEOWNERS file; the one that was inserted last counts: clickhouse-client -q 'INSERT INTO cusafe.codeowners (text) FORMAT RawBLOB' < CODEOWNERS
CREATE TABLE IF NOT EXISTS cusafe.codeowners (text String, inserted DateTime64(6) DEFAULT now64(6)) ENGINE = MergeTree ORDER BY inserted;

-- Each pattern as a regular expression of file names relative to the repository.
CREATE OR REPLACE VIEW cusafe.owners AS
WITH (SELECT argMax(text, inserted) FROM cusafe.codeowners) AS content,
     splitByWhitespace(trimBoth(line)) AS words, words[1] AS pattern,
     position(substring(pattern, 1, greatest(length(pattern), 1) - 1), '/') > 0 AS anchored,
     replaceRegexpAll(replaceRegexpOne(pattern, '^/|/$', ''), '([.+^$(){}|])', '\\\\\\1') AS quoted,
     replaceAll(replaceAll(replaceAll(replaceAll(replaceRegexpOne(quoted, '/$', ''), '**/', '\x01'), '**', '\x02'), '*', '[^/]*'), '?', '[^/]') AS body
SELECT place, pattern, arrayStringConcat(arraySlice(words, 2), ' ') AS owner,
       concat('^', if(anchored, '', '(.*/)?'), replaceAll(replaceAll(body, '\x01', '(.*/)?'), '\x02', '.*'),
              multiIf(endsWith(pattern, '/'), '/', endsWith(pattern, '/*'), '$', '(/|$)')) AS regex
FROM (SELECT line, place FROM (SELECT splitByChar('\n', content) AS all) ARRAY JOIN all AS line, arrayEnumerate(all) AS place)
WHERE notEmpty(words) AND NOT startsWith(pattern, '#');

-- Bugs by owner, for file names relative to the repository (strip_path_prefix=). The last pattern that fits decides, as on GitHub.
CREATE OR REPLACE VIEW cusafe.by_owner AS
WITH (SELECT arraySort(groupArray((place, regex, owner))) FROM cusafe.owners) AS rules
SELECT arrayLast(rule -> match(file, rule.2), rules).3 AS owner, * FROM cusafe.bugs ORDER BY owner, fingerprint;
