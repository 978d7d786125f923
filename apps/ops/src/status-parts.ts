import type { StatusReport } from './status-report.ts'

const FAULTS = [
  ['timeouts', 'time-outs'],
  ['rate_limits', 'rate limits'],
  ['wrong_answers', 'wrong answers'],
  ['disconnects', 'disconnections'],
] as const

/** State of the lite servers of ingest and their faults in the last five minutes, as text. */
export function liteServersText(servers: StatusReport['lite_servers']): string {
  if (!servers) return 'not reported: ingest is not running, or reads files'
  const up = servers.filter(({ state }) => state === 'ready').length
  const faults = FAULTS.flatMap(([key, word]) => {
    const count = servers.reduce((sum, one) => sum + one.faults[key], 0)
    return count === 0 ? [] : [`${count} ${word}`]
  })
  const worst = servers.filter(({ state }) => state !== 'ready').map(({ name }) => name)
  const down = worst.length === 0 ? '' : `; not: ${worst.join(', ')}`
  return `${up} of ${servers.length} up${down}; errors of five minutes: ${faults.join(', ') || 'none'}`
}

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`

/** Space of the data folder, and how long it lasts. */
export function diskText({ free_bytes: free, bytes_per_day: growth, days_left: left }: StatusReport['disk']) {
  const space = free === null ? 'free space not known' : `${gigabytes(free)} free in DATA_DIR`
  const grows = growth === null ? '' : `; the database grows by ${gigabytes(growth)} a day at the head`
  return `${space}${grows}${left === null ? '' : `; full in ${left < 1 ? '<1' : Math.floor(left)} days`}`
}
