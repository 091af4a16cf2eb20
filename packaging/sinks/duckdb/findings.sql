-- findings.sql: views and macros of DuckDB over the files of the option json=. First: SET VARIABLE files = '/var/log/cusafe/*.json';
-- Lines that a crash has truncated are skipped. Lines of `cusafe findings merge` count as the lines that they merge.
CREATE OR REPLACE TEMP VIEW findings AS
SELECT fingerprint, "group", kind, message, kernel, host, pid, run, cusafe,
       place ->> 'module' AS build,
       place ->> 'file' AS file,
       concat_ws(':', place ->> 'file', place ->> 'line') AS site,
       coalesce(merged.lines, 1) AS lines,
       coalesce(merged.errors, count) AS errors,
       coalesce(merged.first, time) AS first,
       coalesce(merged.last, time) AS last
FROM read_json(getvariable('files'), format = 'newline_delimited', ignore_errors = true, maximum_object_size = 16777216, columns = {
  type: 'VARCHAR', fingerprint: 'VARCHAR', "group": 'VARCHAR', kind: 'VARCHAR', message: 'VARCHAR', kernel: 'VARCHAR', host: 'VARCHAR', pid: 'BIGINT',
  run: 'VARCHAR', cusafe: 'VARCHAR', count: 'BIGINT', time: 'TIMESTAMP', place: 'JSON',
  merged: 'STRUCT(lines BIGINT, errors BIGINT, "first" TIMESTAMP, "last" TIMESTAMP)'})
WHERE type = 'finding';

-- One row a bug: when it was first and last seen, and how often.
CREATE OR REPLACE TEMP VIEW bugs AS
SELECT fingerprint, any_value("group") AS "group", any_value(kind) AS kind, min(first) AS first, max(last) AS last, sum(lines)::BIGINT AS lines,
       sum(errors)::BIGINT AS errors, count(DISTINCT host) AS hosts, any_value(site) AS site, any_value(file) AS file, any_value(kernel) AS kernel, min_by(message, first) AS message
FROM findings GROUP BY fingerprint;

-- Bugs that no line before this time has: FROM new_since((now() AT TIME ZONE 'UTC') - INTERVAL 1 DAY);
CREATE OR REPLACE TEMP MACRO new_since(since) AS TABLE SELECT * FROM bugs WHERE first >= since ORDER BY first, fingerprint;

-- Bugs by the build of their device code. A bug that another build has under the same fingerprint has a row for each.
CREATE OR REPLACE TEMP VIEW builds AS
SELECT build, fingerprint, any_value(kind) AS kind, min(first) AS first, max(last) AS last, sum(lines)::BIGINT AS lines, any_value(site) AS site
FROM findings GROUP BY build, fingerprint ORDER BY build, fingerprint;

CREATE OR REPLACE TEMP MACRO top_groups(rows) AS TABLE
SELECT "group", any_value(kind) AS kind, sum(lines)::BIGINT AS lines, sum(errors)::BIGINT AS errors, count(*) AS bugs, any_value(site) AS site
FROM bugs GROUP BY "group" ORDER BY lines DESC, "group" LIMIT rows;

CREATE OR REPLACE TEMP MACRO hosts_of(bug) AS TABLE
SELECT host, min(first) AS first, max(last) AS last, sum(lines)::BIGINT AS lines, count(DISTINCT run) AS runs
FROM findings WHERE fingerprint = bug GROUP BY host ORDER BY host;

-- Bugs by owner: FROM by_owner('CODEOWNERS'), for file names relative to the repository (strip_path_prefix=). Each pattern becomes a regular
-- expression; the last one that fits decides, as on GitHub.
CREATE OR REPLACE TEMP MACRO by_owner(codeowners) AS TABLE
WITH text AS (SELECT string_split(content, chr(10)) AS all_lines FROM read_text(codeowners)),
     numbered AS (SELECT trim(unnest(all_lines)) AS line, generate_subscripts(all_lines, 1) AS place FROM text),
     words AS (SELECT place, regexp_split_to_array(line, '\s+') AS words FROM numbered WHERE line <> '' AND NOT starts_with(line, '#')),
     quoted AS (SELECT place, words[1] AS pattern, array_to_string(words[2:], ' ') AS owner, contains(words[1][1:-2], '/') AS anchored,
                       regexp_replace(trim(words[1], '/'), '([.+^$(){}|])', '\\\1', 'g') AS quoted FROM words),
     rules AS (SELECT place, owner, concat('^', if(anchored, '', '(.*/)?'),
                      replace(replace(replace(replace(replace(replace(quoted, '**/', chr(1)), '**', chr(2)), '*', '[^/]*'), '?', '[^/]'), chr(1), '(.*/)?'), chr(2), '.*'),
                      CASE WHEN ends_with(pattern, '/') THEN '/' WHEN ends_with(pattern, '/*') THEN '$' ELSE '(/|$)' END) AS regex FROM quoted)
SELECT (SELECT owner FROM rules WHERE regexp_matches(file, regex) ORDER BY place DESC LIMIT 1) AS owner, bugs.* FROM bugs ORDER BY owner, fingerprint;
