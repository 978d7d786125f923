import { sha256 } from '@shardwalk/adnl'
import { type BlockId, formatBlockId, formatShortId, MASTERCHAIN, sameBlock } from '@shardwalk/model'
import {
  LITE_MODE,
  type LiteArguments,
  type LiteCall,
  type LiteFunctionName,
  type LiteResults,
} from '@shardwalk/tl'

/** Seqno that means "latest block" in getAccountState and runSmcMethod. */
const LATEST = 0xffffffff

type Check<N extends LiteFunctionName> = (args: LiteArguments[N], value: LiteResults[N]) => string | undefined
type Checks = { readonly [N in LiteFunctionName]?: Check<N> }

const sameId = (args: { readonly id: BlockId }, value: { readonly id: BlockId }): string | undefined =>
  sameBlock(args.id, value.id)
    ? undefined
    : `asked for ${formatBlockId(args.id)}, got ${formatBlockId(value.id)}`

const sameIdUnlessLatest: typeof sameId = (args, value) =>
  args.id.seqno === LATEST ? undefined : sameId(args, value)

function fileMatches(args: { readonly id: BlockId }, value: { readonly id: BlockId; readonly data: Buffer }) {
  const problem = sameId(args, value)
  if (problem) return problem
  return sha256(value.data).equals(args.id.fileHash)
    ? undefined
    : `bytes of ${formatBlockId(args.id)} have another hash`
}

function isBlockAsked(
  { mode, id }: LiteArguments['liteServer.lookupBlock'],
  found: { readonly id: BlockId },
) {
  const other =
    found.id.workchain !== id.workchain ||
    ((mode & LITE_MODE.lookupBlock.bySeqno) !== 0 && found.id.seqno !== id.seqno)
  return other ? `asked for ${formatShortId(id)}, got ${formatBlockId(found.id)}` : undefined
}

/** Checks that need no proof, for all callers. Proofs are checked by `@shardwalk/proofs`. */
const CHECKS: Checks = {
  'liteServer.getBlock': fileMatches,
  'liteServer.getState': fileMatches,
  'liteServer.getBlockHeader': sameId,
  'liteServer.getAllShardsInfo': sameId,
  'liteServer.getShardInfo': sameId,
  'liteServer.getOneTransaction': sameId,
  'liteServer.listBlockTransactions': sameId,
  'liteServer.listBlockTransactionsExt': sameId,
  'liteServer.getAccountState': sameIdUnlessLatest,
  'liteServer.getAccountStatePrunned': sameIdUnlessLatest,
  'liteServer.runSmcMethod': sameIdUnlessLatest,
  'liteServer.lookupBlock': isBlockAsked,
  'liteServer.lookupBlockWithProof': isBlockAsked,
}

/** Describes what is wrong with an answer; undefined if nothing is. */
export function problemWith<N extends LiteFunctionName>(
  name: N,
  args: LiteArguments[N],
  value: LiteResults[N],
): string | undefined {
  return (CHECKS[name] as Check<N> | undefined)?.(args, value)
}

/** Masterchain seqno on which a query depends, if its arguments contain one. */
export function mcBlockSeqnoOf(call: LiteCall): number | undefined {
  const { args } = call as { readonly args: { readonly id?: unknown } }
  const id = args.id as BlockId | undefined
  return id?.workchain === MASTERCHAIN && typeof id.seqno === 'number' && id.seqno !== LATEST && !byTime(call)
    ? id.seqno
    : undefined
}

/** In lookups by lt or time, the seqno is meaningless. */
const byTime = (call: LiteCall): boolean =>
  (call.name === 'liteServer.lookupBlock' || call.name === 'liteServer.lookupBlockWithProof') &&
  (call.args.mode & LITE_MODE.lookupBlock.bySeqno) === 0
