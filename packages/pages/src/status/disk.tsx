import { formatBytes, formatCount } from '../text/numbers.ts'
import type { Status } from './status.ts'

/** More is no forecast. */
const MAX_DAYS = 3_650

/** E.g. `120 GB free, grows by 3.2 GB a day: full in 37 days`. */
export function diskText(disk: Status['disk']): string {
  if (!disk) return '–'
  const { free_bytes: free, bytes_per_day: growth, days_left: left } = disk
  const space = free === null ? 'free space not known' : `${formatBytes(free)} free`
  if (growth === null) return space
  const days = left === null ? '' : left > MAX_DAYS ? '' : `: full in ${daysText(left)}`
  return `${space}, grows by ${formatBytes(growth)} a day${days}`
}

const daysText = (days: number): string =>
  days < 1 ? 'less than a day' : `${formatCount(Math.floor(days))} ${Math.floor(days) === 1 ? 'day' : 'days'}`

/** Where the data are kept, and how long there is room for them. */
export const Disk = ({ text }: { readonly text: string | undefined }) => (
  <p class="disk">
    Disk: <span data-live="disk">{text}</span>
  </p>
)
