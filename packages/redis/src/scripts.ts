import { createHash } from 'node:crypto'

/** A Lua script, and the SHA-1 by which Redis names it once it has seen it. */
export interface Script {
  readonly lua: string
  readonly sha: string
}

const script = (...parts: readonly string[]): Script => {
  const lua = parts.join('\n').trim()
  return { lua, sha: createHash('sha1').update(lua).digest('hex') }
}

/**
 * In front of what only reads: a primary that was demoted, or that has lost its replicas, answers with what
 * it knew, which may be older than what was acknowledged. A write command that does nothing makes Redis
 * refuse there as it refuses writes. That it cannot save to its disk (MISCONF) makes nothing older.
 */
const current = (noop: string) => `
local refused = redis.pcall(${noop})
if type(refused) == 'table' and refused.err and not string.find(refused.err, 'MISCONF', 1, true) then
  return refused
end`

/** Fields in pieces: Lua unpacks at most 8,000 values. */
const PUT = `
local function put(fields)
  for at = 1, #fields, 4000 do
    redis.call('HSET', KEYS[1], unpack(fields, at, math.min(at + 3999, #fields)))
  end
end`

const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`

/**
 * ARGV: (guard's), revision, head, ttl, entries. Redis checks its memory at the first write of a script
 * alone, so that write is one that memory is needed for: a full server refuses the whole of it. A state
 * without entries (a deletion) begins by freeing, which a full server lets pass.
 */
const STORE = `
if #ARGV > 4 then redis.call('HSET', KEYS[1], 'revision', ARGV[2]) end
redis.call('UNLINK', KEYS[1])
local fields = { 'revision', ARGV[2], 'head', ARGV[3], 'first', 0, 'next', #ARGV - 4 }
for i = 5, #ARGV do
  fields[#fields + 1] = i - 5
  fields[#fields + 1] = ARGV[i]
end
put(fields)
if ARGV[4] ~= '' then redis.call('PEXPIRE', KEYS[1], ARGV[4]) end
return 1`

const AT_EXPECTED = `if redis.call('HGET', KEYS[1], 'revision') ~= ARGV[1] then return 0 end`

/**
 * ARGV: skip, [unless]. Nothing; or the revision alone if it is `unless`; or revision, head, entries. Fields
 * that somebody removed are left out: core finds that entries are missing.
 */
export const read = script(
  current(`'HDEL', KEYS[1], ''`),
  `
local cell = redis.call('HMGET', KEYS[1], 'revision', 'head', 'first', 'next')
if not cell[1] then return false end
if cell[1] == ARGV[2] then return { cell[1] } end
local out = { cell[1], cell[2] or '' }
if not (cell[3] and cell[4]) then return out end
local last = cell[4] - 1
for at = cell[3] + ARGV[1], last, 4000 do
  local names = {}
  for n = at, math.min(at + 3999, last) do names[#names + 1] = n end
  local found = redis.call('HMGET', KEYS[1], unpack(names))
  for i = 1, #names do
    if found[i] then out[#out + 1] = found[i] end
  end
end
return out`,
)

/** Revision and head of a cell, or nothing. */
export const readHead = script(
  current(`'HDEL', KEYS[1], ''`),
  `
local cell = redis.call('HMGET', KEYS[1], 'revision', 'head')
return cell[1] and { cell[1], cell[2] or '' }`,
)

/** ARGV: deadline, revision, head, ttl, entries. 1, or 0 where there is a cell, or -1 behind the deadline. */
export const create = script(
  PUT,
  NOW,
  `if redis.call('HGET', KEYS[1], 'revision') then return 0 end
if now > tonumber(ARGV[1]) then return -1 end`,
  STORE,
)

/** ARGV: expected, revision, head, ttl, entries. */
export const replace = script(PUT, AT_EXPECTED, STORE)

/** ARGV: expected, revision, head, ttl, drop, entries. */
export const append = script(
  PUT,
  `
local cell = redis.call('HMGET', KEYS[1], 'revision', 'first', 'next')
if cell[1] ~= ARGV[1] then return 0 end
local first, next = cell[2] + 0, cell[3] + 0
local kept = first + ARGV[5]
local fields = { 'revision', ARGV[2], 'head', ARGV[3], 'first', kept, 'next', next + #ARGV - 5 }
for i = 6, #ARGV do
  fields[#fields + 1] = next + i - 6
  fields[#fields + 1] = ARGV[i]
end
put(fields)
for at = first, kept - 1, 4000 do
  local names = {}
  for n = at, math.min(at + 3999, kept - 1) do names[#names + 1] = n end
  redis.call('HDEL', KEYS[1], unpack(names))
end
if ARGV[4] ~= '' then redis.call('PEXPIRE', KEYS[1], ARGV[4]) else redis.call('PERSIST', KEYS[1]) end
return 1`,
)

/** ARGV: expected. */
export const remove = script(AT_EXPECTED, `return redis.call('UNLINK', KEYS[1])`)

/** ARGV: name. Enters it, with the time in ms that it answers, in place of what was there of it. */
export const enter = script(
  NOW,
  `
local stamp = string.format('%.0f', now)
local old = redis.call('ZRANGEBYLEX', KEYS[1], '[' .. ARGV[1] .. '\\t', '(' .. ARGV[1] .. '\\n')
redis.call('ZADD', KEYS[1], 0, ARGV[1] .. '\\t' .. stamp)
for i = 1, #old do
  if old[i] ~= ARGV[1] .. '\\t' .. stamp then redis.call('ZREM', KEYS[1], old[i]) end
end
return stamp`,
)

/** ARGV: from, to, count. The time in ms, then members in order. */
export const page = script(
  current(`'ZREM', KEYS[1], ''`),
  NOW,
  `
local out = redis.call('ZRANGEBYLEX', KEYS[1], ARGV[1], ARGV[2], 'LIMIT', 0, ARGV[3])
table.insert(out, 1, string.format('%.0f', now))
return out`,
)

/** ARGV: members. How many members stay. */
export const strike = script(`
if #ARGV > 0 then redis.call('ZREM', KEYS[1], unpack(ARGV)) end
return redis.call('ZCARD', KEYS[1])`)

/** Runs every command of the others, says which one is refused, and leaves nothing. */
export const probe = script(`
local refused
local function try(...)
  local reply = redis.pcall(...)
  if type(reply) == 'table' and reply.err and not refused then
    refused = reply.err .. ' (' .. select(1, ...) .. ')'
  end
end
try('HSET', KEYS[1], 'revision', 'x', '0', 'x')
try('PEXPIRE', KEYS[1], 1000)
try('PERSIST', KEYS[1])
try('HGET', KEYS[1], 'revision')
try('HMGET', KEYS[1], 'revision', '0')
try('HDEL', KEYS[1], '0')
try('UNLINK', KEYS[1])
try('ZADD', KEYS[1], 0, 'x')
try('ZRANGEBYLEX', KEYS[1], '-', '+', 'LIMIT', 0, 1)
try('ZCARD', KEYS[1])
try('ZREM', KEYS[1], 'x')
try('TIME')
if refused then return redis.error_reply(refused) end
return 1`)
