import { readFileSync } from 'node:fs'

/** A global config that is part of the program. */
export interface BundledConfig {
  readonly text: string
  /** Day of its publication. */
  readonly date: string
}

/** File names are `<network>.<date>.json`. */
const DATES: Readonly<Record<string, string>> = { mainnet: '2025-02-20', testnet: '2024-05-07' }

/** The fallback for a public network; undefined for others. */
export function bundledConfig(slug: string): BundledConfig | undefined {
  const date = DATES[slug]
  if (date === undefined) return undefined
  const url = new URL(`../bundled/${slug}.${date}.json`, import.meta.url)
  return { text: readFileSync(url, 'utf8'), date }
}
