import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { RawBlock } from '@shardwalk/model'
import { type IdJson, toId } from './fixtures.ts'

const ROOT = new URL('../../../fixtures/chain/', import.meta.url)

const unzipped = (name: string): Buffer => gunzipSync(readFileSync(new URL(`${name}.gz`, ROOT)))

interface BlockJson extends IdJson {
  readonly transactions: number
  readonly key_block?: boolean
  readonly prev: readonly IdJson[]
  readonly file: string
  readonly data_offset: number
  readonly size: number
}

interface StepJson {
  readonly block: BlockJson
  readonly shard_tops: readonly IdJson[]
  readonly shards: readonly BlockJson[]
}

export interface Statistics {
  readonly masterchain_blocks: number
  readonly shard_blocks: number
  readonly transactions: number
  readonly transactions_masterchain: number
  readonly transactions_basechain: number
  readonly key_blocks: number
  readonly after_split: number
  readonly after_merge: number
  readonly messages: Readonly<Record<string, number>>
  readonly by_type: Readonly<Record<string, number>>
  readonly compute: Readonly<Record<string, number>>
  readonly action_result: Readonly<Record<string, number>>
  readonly bounced_in: number
  readonly aborted: number
  readonly destroyed: number
  readonly in_msg_descr: Readonly<Record<string, number>>
  readonly out_msg_descr: Readonly<Record<string, number>>
  readonly max_shards: number
  readonly accounts: number
}

interface ChainJson {
  readonly network: { readonly zerostate: unknown }
  readonly statistics: Statistics
  readonly masterchain: readonly StepJson[]
}

export interface RecordedChain {
  readonly statistics: Statistics
  readonly steps: readonly StepJson[]
  read(block: BlockJson): RawBlock
}

interface ScenarioJson {
  readonly steps: readonly {
    readonly sends?: readonly { readonly ext_hash: string; readonly normalized_hash?: string }[]
  }[]
}

/** Hashes of sent external messages and, mostly, their normalised hashes as computed by the senders. */
export const sentMessages = (): readonly { readonly ext_hash: string; readonly normalized_hash?: string }[] =>
  (JSON.parse(unzipped('scenario.json').toString()) as ScenarioJson).steps.flatMap((step) => step.sends ?? [])

export interface AccountFact {
  readonly state: string
  readonly balance: string
  readonly transactions: number
  readonly last_transaction?: { readonly lt: string; readonly hash: string }
  readonly code_hash?: string
  readonly data_hash?: string
  readonly frozen_state_hash?: string
  readonly extra_currencies?: Readonly<Record<string, string>>
}

/** States of named accounts at the final block by lower-case raw address, from the node's lite server. */
export const accountFacts = (): Readonly<Record<string, AccountFact>> =>
  JSON.parse(readFileSync(new URL('facts.json', ROOT)).toString()).accounts

export const zerostate = (workchain: number): Buffer =>
  readFileSync(new URL(`zerostate_${workchain}.boc`, ROOT))

/** The recorded network: an index and package files in the repository. */
export function openRecordedChain(): RecordedChain {
  const index: ChainJson = JSON.parse(unzipped('index.json').toString())
  const packs = new Map<string, Buffer>()
  const pack = (name: string): Buffer => {
    const known = packs.get(name)
    if (known) return known
    const bytes = unzipped(name)
    packs.set(name, bytes)
    return bytes
  }
  return {
    statistics: index.statistics,
    steps: index.masterchain,
    read: (block) => ({
      id: toId(block),
      bytes: pack(block.file).subarray(block.data_offset, block.data_offset + block.size),
    }),
  }
}
