import { readFileSync } from 'node:fs'
import { MARKETPLACES } from '@shardwalk/actions'
import { parseAddress } from '@shardwalk/api-schema'
import { formatRawAddress } from '@shardwalk/model'
import { SettingsError } from '@shardwalk/settings'

/**
 * Names of marketplaces by raw address: the built-in ones with those of `MARKETPLACE_NAMES`. An empty name
 * removes a built-in one. Throws `SettingsError`.
 */
export function readMarketplaces(file: string | undefined): ReadonlyMap<string, string> {
  if (file === undefined) return MARKETPLACES
  const names = new Map(MARKETPLACES)
  for (const [text, name] of Object.entries(readObject(file))) {
    const address = parseAddress(text)
    if (!address) throw refused(file, `${JSON.stringify(text)} is not an address`)
    if (typeof name !== 'string') throw refused(file, `the name of ${text} is not a text`)
    if (name === '') names.delete(formatRawAddress(address))
    else names.set(formatRawAddress(address), name)
  }
  return names
}

function readObject(file: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw refused(file, (error as Error).message)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refused(file, 'not a JSON object of names by address')
  return value as Readonly<Record<string, unknown>>
}

const refused = (file: string, problem: string) =>
  new SettingsError([`MARKETPLACE_NAMES: ${file}: ${problem}`])
