import type { ServerStatus } from '@shardwalk/liteserver'
import type { Status } from '@shardwalk/pages'

type Server = NonNullable<Status['servers']>[number]
/** What ingest reports of its servers. */
export type LiteServerFaults = readonly Pick<Server, 'name' | 'faults'>[]

/** Servers of the API's pool, with what ingest reports of the same ones. */
export const serversOf = (servers: readonly ServerStatus[], ofIngest: LiteServerFaults): readonly Server[] =>
  servers.map(({ name, state, headSeqno, latencyMs, archive, nonfinal, inFlight, problem, faults }) => ({
    name,
    state,
    head: headSeqno ?? null,
    latency_ms: latencyMs ?? null,
    archive: archive ?? null,
    nonfinal,
    in_flight: inFlight,
    problem: state === 'ready' ? null : (problem ?? null),
    faults: sum(faults, ofIngest.find((other) => other.name === name)?.faults),
  }))

const sum = (a: Server['faults'], b: Server['faults'] | undefined): Server['faults'] => ({
  timeouts: a.timeouts + (b?.timeouts ?? 0),
  rate_limits: a.rate_limits + (b?.rate_limits ?? 0),
  wrong_answers: a.wrong_answers + (b?.wrong_answers ?? 0),
  disconnects: a.disconnects + (b?.disconnects ?? 0),
})
