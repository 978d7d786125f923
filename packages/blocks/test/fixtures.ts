import { hash as digest } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { BlockId, RawBlock } from '@shardwalk/model'

const ROOT = new URL('../../../fixtures/blocks/', import.meta.url)

export const fixture = (path: string): Buffer => readFileSync(new URL(path, ROOT))

/** JSON stored with a block, gzipped. */
export const fixtureJson = <T>(path: string): T => JSON.parse(gunzipSync(fixture(`${path}.gz`)).toString())

export interface IdJson {
  readonly workchain: number
  readonly shard: string
  readonly seqno: number
  readonly root_hash: string
  readonly file_hash: string
}

export interface BlockEntry extends Omit<IdJson, 'file_hash'> {
  readonly file: string
  readonly global_id: number
  readonly global_version: number | null
  readonly vert_seq_no: number
  readonly gen_utime: number
  readonly start_lt: string
  readonly end_lt: string
  readonly flags: Readonly<Record<string, boolean>>
  readonly gen_catchain_seqno: number
  readonly gen_validator_list_hash_short: number
  readonly master_ref?: { readonly seqno: number }
  readonly prev: readonly IdJson[]
  readonly shards?: readonly (IdJson & {
    readonly start_lt: string
    readonly end_lt: string
    readonly gen_utime: number
  })[]
  readonly accounts: number
  readonly transactions: number
  readonly distinct_messages: number
  readonly in_msg_descr: Readonly<Record<string, number>>
  readonly out_msg_descr: Readonly<Record<string, number>>
}

export const blockIndex: readonly BlockEntry[] = JSON.parse(fixture('index.json').toString())

export const hex = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')

export const toId = (json: IdJson): BlockId => ({
  workchain: json.workchain,
  shard: BigInt(`0x${json.shard}`),
  seqno: json.seqno,
  rootHash: Buffer.from(json.root_hash, 'hex'),
  fileHash: Buffer.from(json.file_hash, 'hex'),
})

/** A block with the id its file has. */
export function rawBlock(
  entry: Pick<BlockEntry, 'file' | 'workchain' | 'shard' | 'seqno' | 'root_hash'>,
): RawBlock {
  const bytes = fixture(entry.file)
  return { id: toId({ ...entry, file_hash: digest('sha256', bytes) }), bytes }
}

export const rawBlockOf = (file: string): RawBlock =>
  rawBlock(blockIndex.find((entry) => entry.file === file)!)
