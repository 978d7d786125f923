const group = (digits: string): string => digits.replace(/\B(?=(\d{3})+(?!\d))/g, ',')

/** `1,234,567`. */
export const formatCount = (value: number | bigint | string): string => {
  const text = String(value)
  return text.startsWith('-') ? `-${group(text.slice(1))}` : group(text)
}

/** Digits of a written amount; more are given in the smallest unit. */
const MAX_DIGITS = 40

/**
 * An integer of the smallest unit in whole units: `1,234.5`. Undefined if `decimals` is not an integer from 0
 * to 255 or the text would be too long: the raw number is shown then.
 */
export function formatUnits(raw: string, decimals: number): string | undefined {
  if (!/^-?\d+$/.test(raw) || !Number.isInteger(decimals) || decimals < 0 || decimals > 255) return undefined
  const isNegative = raw.startsWith('-')
  const digits = (isNegative ? raw.slice(1) : raw).replace(/^0+(?=\d)/, '').padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  if (whole.length + fraction.length > MAX_DIGITS) return undefined
  return `${isNegative ? '-' : ''}${group(whole)}${fraction === '' ? '' : `.${fraction}`}`
}

/** Nanotons as TON: `1.05`. */
export const formatTon = (nano: string): string => formatUnits(nano, 9) ?? nano

/** `3.4 MB`. Units of 1000 bytes. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let value = bytes
  let unit = 0
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1000
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`
}

/** `2 d 3 h`, `4 min 10 s`, `3.2 s`. */
export function formatDuration(seconds: number): string {
  if (seconds < 10) return `${Number.isInteger(seconds) ? seconds : seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return both(whole, 60, 'min', 's')
  if (whole < 86_400) return both(Math.floor(whole / 60), 60, 'h', 'min')
  return both(Math.floor(whole / 3600), 24, 'd', 'h')
}

function both(value: number, size: number, large: string, small: string): string {
  const rest = value % size
  return `${Math.floor(value / size)} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`
}

/** `2026-11-22 14:02:31`, UTC. */
export const formatTime = (unixSeconds: number): string =>
  new Date(unixSeconds * 1000).toISOString().replace('T', ' ').slice(0, 19)
