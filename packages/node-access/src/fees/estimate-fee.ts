import { type Cell, EMPTY_CELL, hasFriendlyForm, parseRoot } from '@shardwalk/cells'
import { type ActionPhase, type BlockId, MASTERCHAIN, type RawAddress } from '@shardwalk/model'
import { type ConfigParams, forwardPrices, gasPrices, isFundamental, loadTransaction } from '@shardwalk/tlb'
import { type MessageFees, messageFees } from '@shardwalk/tvm'
import type { AccountSnapshot } from '../accounts/account-snapshot.ts'
import { NodeAccessError } from '../errors.ts'
import type { NodeAccess } from '../node-access.ts'
import { actionFees } from './action-fees.ts'
import { type Deployment, externalMessage, shardAccountOf } from './external-message.ts'
import { forwardFee, gasFee, storageFee } from './fee-rules.ts'

/** Blocks start at multiples of this, so the account has no later transaction. */
const LT_STEP = 1_000_000n
/** Method id under which external messages are processed. */
const RECV_EXTERNAL = -1

/** An external message of which the fees are wanted. */
export interface FeeQuery {
  readonly address: RawAddress
  readonly body: Cell
  readonly init?: Deployment | undefined
  /** Treat every signature as valid. */
  readonly ignoreSignatures: boolean
}

const NOTHING: MessageFees = { inFwdFee: 0n, storageFee: 0n, gasFee: 0n, fwdFee: 0n }

/**
 * What an external message would cost now: the fees of the transaction that it would cause, and those of the
 * messages that the balance does not cover. If there would be no transaction, by the rules of tonlib's
 * `query.estimateFees`. Nothing is sent.
 */
export async function estimateFee(node: NodeAccess, query: FeeQuery): Promise<MessageFees> {
  const { address, body, init } = query
  const head = await node.blocks.masterchain()
  const account = await node.accounts.at(head, address)
  const config = await node.configuration.at(head)
  if (isFundamental(config, address)) return NOTHING
  const isMasterchain = address.workchain === MASTERCHAIN
  const message = externalMessage(address, body, init)
  const run = await runMessage(node, { ...query, account, config, head, message })
  const stored = account.account
  return {
    inFwdFee: forwardFee(forwardPrices(config, isMasterchain), message.refs),
    ...run,
    storageFee:
      run.storageFee ?? (stored ? storageFee(config, stored, { now: account.utime, isMasterchain }) : 0n),
  }
}

interface RunInput extends FeeQuery {
  readonly account: AccountSnapshot
  readonly config: ConfigParams
  readonly head: BlockId
  readonly message: Cell
}

/** With the storage fee if there would be a transaction. */
type RunFees = Pick<MessageFees, 'gasFee' | 'fwdFee'> & Partial<Pick<MessageFees, 'storageFee'>>
const NOT_RUN: RunFees = { gasFee: 0n, fwdFee: 0n }

/**
 * An account that cannot buy any gas gets no credit, so that no message would be accepted. tonlib then
 * reports what a run without a limit costs, which is that of an account that can pay. Nanotons.
 */
const PLENTY = 10n ** 15n

async function runMessage(node: NodeAccess, input: RunInput): Promise<RunFees> {
  const { account, init, config } = input
  const prices = gasPrices(config, account.address.workchain === MASTERCHAIN)
  const code = init?.code ?? account.code
  const isPoor = account.balance < prices.flatPrice
  if (!code) return isPoor ? { gasFee: prices.flatPrice, fwdFee: 0n } : NOT_RUN
  // Their addresses are `addr_var$11`, of which the executor says only that it cannot unpack the account.
  if (!hasFriendlyForm(account.address))
    throw new NodeAccessError(
      'workchain_not_executable',
      `contracts of workchain ${account.address.workchain} are not executed, as it exceeds 8 bits`,
    )
  const result = await node.getMethods.emulate({
    code,
    head: input.head,
    shardAccount: isPoor
      ? shardAccountOf({ ...account, balance: PLENTY }, init ?? { code, data: account.data ?? EMPTY_CELL })
      : shardAccountOf(account, init),
    message: input.message,
    now: account.utime,
    lt: (account.lastTransLt / LT_STEP + 1n) * LT_STEP,
    ignoreSignatures: input.ignoreSignatures,
  })
  if (!result.ok) throw new NodeAccessError('fees_not_estimated', result.message)
  if (!result.accepted)
    return isPoor ? { gasFee: gasFee(prices, await gasUntilRefused(node, input)), fwdFee: 0n } : NOT_RUN
  const transaction = loadTransaction(parseRoot(result.transaction).slice(), account.address.workchain)
  const { storageFee: storage, gasFee: gas, fwdFee } = messageFees(transaction)
  const { actionPhase } = transaction.description
  const unsent = actionPhase && !sendsAll(actionPhase) ? result.actions : undefined
  return {
    ...(!isPoor && { storageFee: storage }),
    gasFee: gas,
    fwdFee: unsent ? actionFees(config, account.address, parseRoot(unsent)) : fwdFee,
  }
}

/** False if a message was refused or skipped, as it is when the balance does not cover it. */
const sendsAll = ({ success, totActions, specActions, msgsCreated }: ActionPhase): boolean =>
  success && msgsCreated === totActions - specActions

/** Of a message that is refused although gas does not matter. */
async function gasUntilRefused({ getMethods }: NodeAccess, input: RunInput): Promise<bigint> {
  const { account, init, message, body } = input
  const args = [
    { type: 'int', value: account.balance },
    { type: 'int', value: 0n },
    { type: 'cell', cell: message },
    { type: 'slice', cell: body },
  ] as const
  const run = await getMethods.run({
    account: { ...account, ...init },
    method: RECV_EXTERNAL,
    args,
    isForeign: true,
  })
  return BigInt(run.gasUsed)
}
