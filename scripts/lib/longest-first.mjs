import { BaseSequencer } from 'vitest/node'

/** Part of the path of the files that take longest, in the order in which they start. */
const LONGEST = [
  'ops/test/kills',
  'ingest/test/p2p',
  'ops/test/orphans',
  'ops/test/deployment',
  'ops/test/signals',
  'api/test/pages/browser',
  'api/test/pages/explorer',
  'exports/test/export',
  'api/test/traces',
  'api/test/ground-truth',
  'ingest/test/contracts',
  'ingest/test/actions',
  'db/test/whole-chain',
  'ingest/test/bad-servers',
  'ingest/test/generated-chains',
  'ops/test/roles',
  'ops/test/silence',
  'ops/test/full-disk',
  'ops/test/quarantine',
  'api/test/frozen-database',
  'api/test/pages/live-status',
  'api/test/replicas',
  'embedded-postgres/test',
]

/** Order of test files for vitest: the longest first, so that none of them is alone at the end. */
export class LongestFirst extends BaseSequencer {
  async sort(files) {
    const rank = ({ moduleId }) => {
      const index = LONGEST.findIndex((part) => moduleId.includes(part))
      return index === -1 ? LONGEST.length : index
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}
