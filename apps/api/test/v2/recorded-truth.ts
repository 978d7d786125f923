import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { V2MethodName } from '@shardwalk/api-schema'
import {
  decodeAnswer,
  decodeFunction,
  type LiteArguments,
  type LiteFunctionName,
  type LiteResults,
} from '@shardwalk/tl'

const CHAIN = new URL('../../../../fixtures/chain/', import.meta.url)

export interface Exchange<N extends LiteFunctionName> {
  readonly name: string
  readonly args: LiteArguments[N]
  readonly answer: LiteResults[N]
}

interface RecordedEntry {
  readonly name: string
  readonly function: string
  readonly query: string
  readonly answer?: string
}
const files = new Map<string, readonly RecordedEntry[]>()

function entriesOf(file: string): readonly RecordedEntry[] {
  const known = files.get(file)
  if (known) return known
  const text = gunzipSync(readFileSync(new URL(`liteserver-answers/${file}.json.gz`, CHAIN))).toString()
  const { entries } = JSON.parse(text) as { entries: readonly RecordedEntry[] }
  files.set(file, entries)
  return entries
}

/** What the lite server of a real node answered about the sample chain, without refusals. */
export function exchangesWith<N extends LiteFunctionName>(file: string, name: N): readonly Exchange<N>[] {
  return entriesOf(file).flatMap((entry) => {
    if (entry.function !== name || !entry.answer) return []
    const answer = decodeAnswer(name, Buffer.from(entry.answer, 'hex'))
    // Some queries have a wait prefix; those are not plain calls.
    const args = decodeFunction(Buffer.from(entry.query, 'hex')).args as LiteArguments[N]
    return answer.ok ? [{ name: entry.name, args, answer: answer.value }] : []
  })
}

export interface AccountFact {
  readonly kind: string
  readonly state: 'active' | 'uninit' | 'frozen' | 'nonexist'
  readonly balance?: string
  readonly extra_currencies?: Readonly<Record<string, string>>
  readonly last_transaction?: { readonly lt: string; readonly hash: string }
  readonly code_hash?: string
  readonly data_hash?: string
}

interface TokenFact {
  readonly address: string
  readonly name: string
}

/** Results of get-methods and state dumps of a real node at the last block. Hashes are hex. */
export interface Facts {
  readonly accounts: Readonly<Record<string, AccountFact>>
  readonly jettons: readonly (TokenFact & {
    readonly total_supply?: string
    readonly mintable?: boolean
    readonly admin: string | null
    readonly wallets: readonly {
      readonly owner: string
      readonly address: string
      readonly balance: string
    }[]
  })[]
  readonly nft_collections: readonly (TokenFact & {
    readonly next_item_index?: string
    readonly owner: string | null
  })[]
  readonly nft_items: readonly (TokenFact & { readonly index?: string; readonly owner: string | null })[]
  readonly dns: {
    readonly root: string
    readonly items: readonly {
      readonly domain: string
      readonly zone: string
      readonly address: string
      readonly records?: Readonly<Record<string, string>>
    }[]
  }
}

export const FACTS = JSON.parse(readFileSync(new URL('facts.json', CHAIN), 'utf8')) as Facts

/**
 * What each method is compared with. `facts`: facts.json, from a real node. `answers`: bytes from its lite
 * server. `index`: the recording's index, made from block headers. `core`: values that @ton/core reads from
 * the reply. `golden`: the reference implementation (golden.test.ts, all methods except those of the 2.1
 * line).
 */
export const COMPARED_WITH: Readonly<Record<V2MethodName, string>> = {
  getAddressInformation: 'facts of every account, and answers for code and data',
  getExtendedAddressInformation: 'facts of every account, core',
  getWalletInformation: 'facts of every account, core',
  getAddressBalance: 'facts of every account',
  getAddressState: 'facts of every account',
  getTokenData: 'facts of every jetton, its wallets, every collection and item',
  getShardAccountCell: 'facts of every account, core',
  getMasterchainInfo: 'answers',
  getMasterchainBlockSignatures: 'answers',
  getShardBlockProof: 'answers',
  getConsensusBlock: 'index',
  lookupBlock: 'answers, index',
  getShards: 'answers, index for every masterchain block asked',
  getBlockHeader: 'index',
  getBlock: 'index: the file hash',
  getOutMsgQueueSize: 'answers',
  getBlockTransactions: 'answers',
  getBlockTransactionsExt: 'answers, core',
  getTransactions: 'answers, core',
  getTransactionsStd: 'answers, core',
  tryLocateTx: 'core',
  tryLocateResultTx: 'core',
  tryLocateSourceTx: 'core',
  sendBoc: 'bytes that reached the lite server',
  sendBocReturnHash: 'bytes that reached the lite server, core',
  sendBocReturnHashNoError: 'bytes that reached the lite server, core',
  estimateFee: 'forwarding price of the chain; gas: golden',
  runGetMethod: 'answers: results of the node itself',
  runGetMethodStd: 'answers: results of the node itself',
  detectAddress: 'core',
  detectHash: 'the same bytes in other alphabets',
  packAddress: 'core',
  unpackAddress: 'core',
  getConfigParam: 'answers',
  getConfigAll: 'answers',
  getLibraries: 'answers',
  dnsResolve: 'facts of every domain',
}
