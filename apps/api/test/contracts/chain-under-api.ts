import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { PROFILES, type Profile } from '@shardwalk/api-schema'
import { FIXTURE_CHAIN_FOLDER, type ScratchDatabase } from '@shardwalk/testkit'
import { examinedChain } from '@shardwalk/testkit/refresh-chain'
import { Client, type Json, type Query } from '../client.ts'

/** Results of get-methods that a node ran at the last block of the recorded chain. */
// biome-ignore lint/suspicious/noExplicitAny: facts are picked by name
export const facts: any = JSON.parse(readFileSync(`${FIXTURE_CHAIN_FOLDER}/facts.json`, 'utf8'))
/** The accounts of the scenario. */
export const scenario: { readonly accounts: readonly Json[] } = JSON.parse(
  gunzipSync(readFileSync(`${FIXTURE_CHAIN_FOLDER}/scenario.json.gz`)).toString('utf8'),
)

/** Addresses are lower case in facts, upper case in replies. */
export const raw = (address: string): string => address.toUpperCase()
export const rawOrNull = (address: string | null | undefined): string | null =>
  address ? raw(address) : null
export const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64')

/** An address that was never used. */
export const STRANGER = `0:${'0123'.repeat(16)}`

/** Order of addresses in lists: masterchain first, then by bytes. */
export function compareAddresses(a: string, b: string): number {
  const [workchainA = '', hashA = ''] = a.split(':')
  const [workchainB = '', hashB = ''] = b.split(':')
  return Number(workchainA) - Number(workchainB) || (hashA < hashB ? -1 : hashA > hashB ? 1 : 0)
}

/** TEP-64 content of a fact as the API shows it. */
export const contentOf = (fact: Json): Json | null => {
  const parsed = fact['content_parsed'] as Json | undefined
  if (fact['content_uri']) return { uri: fact['content_uri'] }
  return (parsed?.['fields'] as Json | undefined) ?? (parsed ? { uri: parsed['uri'] } : null)
}

/** The recorded chain, fully indexed and examined, behind an API of each profile. */
export class ChainUnderApi {
  private constructor(
    readonly scratch: ScratchDatabase,
    readonly clients: Readonly<Record<Profile, Client>>,
  ) {}

  static async start(chain = examinedChain): Promise<ChainUnderApi> {
    const scratch = await chain()
    const started = await Promise.all(
      PROFILES.map(async (profile) => [profile, await Client.start(scratch, { profile })] as const),
    )
    return new ChainUnderApi(scratch, Object.fromEntries(started) as Record<Profile, Client>)
  }

  get client(): Client {
    return this.clients.standard
  }

  /** Rows of a successful reply. */
  async rows(path: string, key: string, query: Query = {}): Promise<Json[]> {
    const { status, body } = await this.client.get(path, query)
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
    return body[key] as Json[]
  }

  async close(): Promise<void> {
    for (const client of Object.values(this.clients)) await client.close()
    await this.scratch.close()
  }
}

/** Splits a list that exceeds the maximum length of a parameter. */
export const inChunks = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  )
