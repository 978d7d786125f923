import type { Streams } from './streams.ts'

/** Longest time between two reads of the tables. Milliseconds. */
const MAX_AGE_MS = 15_000

/** Health in the form that TON Center has: a flag and the parts. */
export function streamHealth({ follower, places, events: { confirmingServers: servers } }: Streams) {
  const age = performance.now() - follower.polledAt
  const isAlive = follower.polledAt > 0 && age <= MAX_AGE_MS
  const reader = {
    ok: isAlive,
    ...(!isAlive && { error: 'the tables were not read for too long' }),
    ...(follower.position !== undefined && { last_mc_block_seqno: follower.position }),
    age_seconds: Math.round(follower.polledAt > 0 ? age / 1000 : 0),
    connections: places.count,
  }
  return {
    ok: isAlive,
    now: Math.floor(Date.now() / 1000),
    components: { 'block-reader': reader, confirmed: { ok: true, available: servers > 0, servers } },
  }
}
