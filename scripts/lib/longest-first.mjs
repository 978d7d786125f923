import { BaseSequencer } from 'vitest/node'

/** Parts of the paths of files that mostly wait: for processes that start, for deadlines. Longest first. */
const WAITING = [
  ...['ops/test/kills', 'ingest/test/p2p', 'ops/test/deployment', 'ops/test/watch', 'ops/test/orphans'],
  ...['ops/test/full-disk', 'api/test/pages/live-status', 'ops/test/signals', 'embedded-postgres/test'],
  ...['ingest/test/quarantined-parts', 'api/test/v2/false-answers', 'api/test/pending/life-cycle'],
  ...['ingest/test/two-processes', 'db/test/archive', 'api/test/reference-operations', 'ingest/test/archive'],
  ...['api/test/replicas', 'api/test/streaming/stream-limits', 'api/test/frozen', 'ops/test/silence'],
  ...['ops/test/export-runs', 'ops/test/commands', 'ingest/test/generated-chains', 'api/test/http.int'],
  ...['ingest/test/promoted-standby', 'api/test/v2/index', 'ingest/test/bad-servers', 'ingest/test/proving'],
]

/** Of files that take long and wait for nothing. */
const BUSY = [
  ...['api/test/pages/browser', 'ops/test/quarantine', 'exports/test/export', 'ops/test/demo'],
  ...['api/test/pages/explorer', 'api/test/pending/kills', 'api/test/many-partitions'],
  ...['api/test/pages/hostile', 'api/test/ground-truth', 'exports/test/identity', 'api/test/traces'],
  ...['webhooks/test/outbox', 'api/test/pending/hostile', 'queries/test/chain-model'],
  ...['api/test/emulate/preview-thread', 'ingest/test/contract', 'db/test/whole-chain'],
]

/** How many files that wait for nothing go with one that waits. */
const BUSY_PER_WAITING = 2

/**
 * Order of test files for vitest: the longest first, so that none of them is alone at the end, and those that
 * wait spread over the others, so that the processors have work all the time. Projects follow each other,
 * because workers belong to one.
 */
export class LongestFirst extends BaseSequencer {
  async sort(files) {
    const sorted = await super.sort(files)
    const isUnit = ({ project }) => project.name === 'unit'
    return [...spread(sorted.filter((file) => !isUnit(file))), ...spread(sorted.filter(isUnit))]
  }
}

function spread(files) {
  const waiting = inOrderOf(WAITING, files.filter(isIn(WAITING)))
  const busy = inOrderOf(
    BUSY,
    files.filter((file) => !isIn(WAITING)(file)),
  )
  const order = []
  while (waiting.length + busy.length > 0)
    order.push(...waiting.splice(0, 1), ...busy.splice(0, BUSY_PER_WAITING))
  return order
}

const isIn =
  (parts) =>
  ({ moduleId }) =>
    parts.some((part) => moduleId.includes(part))

/** Those that are not named come last, in their own order. */
function inOrderOf(parts, files) {
  const rank = ({ moduleId }) => {
    const index = parts.findIndex((part) => moduleId.includes(part))
    return index === -1 ? parts.length : index
  }
  return [...files].sort((a, b) => rank(a) - rank(b))
}
