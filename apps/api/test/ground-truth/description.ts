import type { Dictionary, Transaction } from '@ton/core'

/** JSON as API v3 returns it, produced with `@ton/core` alone; profile `standard`. */
export type Expected = Record<string, unknown>

export const base64 = (bytes: Buffer): string => bytes.toString('base64')

type Description = Transaction['description']
type Ordinary = Extract<Description, { type: 'generic' }>
type TickTock = Extract<Description, { type: 'tick-tock' }>

export function description({ description: d }: Transaction): Expected {
  if (d.type !== 'generic' && d.type !== 'tick-tock') throw new Error(`unexpected ${d.type}`)
  return clean({
    ...(d.type === 'generic' ? ordinaryJson(d) : { type: 'tick_tock', is_tock: d.isTock }),
    aborted: d.aborted,
    destroyed: d.destroyed,
    storage_ph: d.storagePhase && storageJson(d.storagePhase),
    compute_ph: computeJson(d.computePhase),
    action: d.actionPhase && actionJson(d.actionPhase),
  })
}

const ordinaryJson = ({ creditFirst, creditPhase, bouncePhase }: Ordinary): Expected => ({
  type: 'ord',
  credit_first: creditFirst,
  credit_ph: creditPhase && creditJson(creditPhase),
  bounce: bouncePhase && bounceJson(bouncePhase),
})

const storageJson = (storage: NonNullable<Ordinary['storagePhase']>): Expected =>
  clean({
    storage_fees_collected: String(storage.storageFeesCollected),
    storage_fees_due: text(storage.storageFeesDue),
    status_change: storage.statusChange,
  })

const creditJson = ({ credit, dueFeesColelcted }: NonNullable<Ordinary['creditPhase']>): Expected =>
  clean({
    due_fees_collected: text(dueFeesColelcted),
    credit: String(credit.coins),
    credit_extra_currencies: credit.other?.size ? currencies(credit.other) : undefined,
  })

function computeJson(compute: (Ordinary | TickTock)['computePhase']): Expected {
  if (compute.type === 'skipped') return { skipped: true, reason: compute.reason.replace('-', '_') }
  return clean({
    skipped: false,
    success: compute.success,
    msg_state_used: compute.messageStateUsed,
    account_activated: compute.accountActivated,
    gas_fees: String(compute.gasFees),
    gas_used: String(compute.gasUsed),
    gas_limit: String(compute.gasLimit),
    gas_credit: text(compute.gasCredit),
    mode: compute.mode,
    exit_code: compute.exitCode,
    exit_arg: compute.exitArg ?? undefined,
    vm_steps: compute.vmSteps,
    vm_init_state_hash: hash(compute.vmInitStateHash),
    vm_final_state_hash: hash(compute.vmFinalStateHash),
  })
}

const actionJson = (action: NonNullable<Ordinary['actionPhase']>): Expected =>
  clean({
    success: action.success,
    valid: action.valid,
    no_funds: action.noFunds,
    status_change: action.statusChange,
    total_fwd_fees: text(action.totalFwdFees),
    total_action_fees: text(action.totalActionFees),
    result_code: action.resultCode,
    result_arg: action.resultArg ?? undefined,
    tot_actions: action.totalActions,
    spec_actions: action.specActions,
    skipped_actions: action.skippedActions,
    msgs_created: action.messagesCreated,
    action_list_hash: hash(action.actionListHash),
    tot_msg_size: sizeJson(action.totalMessageSize),
  })

function bounceJson(b: NonNullable<Ordinary['bouncePhase']>): Expected {
  if (b.type === 'negative-funds') return { type: 'negfunds' }
  const size = sizeJson(b.messageSize)
  if (b.type === 'no-funds')
    return { type: 'nofunds', msg_size: size, req_fwd_fees: String(b.requiredForwardFees) }
  return { type: 'ok', msg_size: size, msg_fees: String(b.messageFees), fwd_fees: String(b.forwardFees) }
}

const sizeJson = ({ cells, bits }: { readonly cells: bigint; readonly bits: bigint }): Expected => ({
  cells: String(cells),
  bits: String(bits),
})
const hash = (value: bigint) => base64(Buffer.from(value.toString(16).padStart(64, '0'), 'hex'))
const text = (value: bigint | null | undefined) =>
  value === null || value === undefined ? undefined : String(value)
const clean = (object: Expected): Expected =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined && value !== null))

export function currencies(other: Dictionary<number, bigint> | null | undefined): Record<string, string> {
  return Object.fromEntries([...(other ?? [])].map(([id, amount]) => [String(id), String(amount)]))
}
