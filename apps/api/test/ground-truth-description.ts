import type { Dictionary, Transaction } from '@ton/core'

/** JSON as API v3 returns it, produced with `@ton/core` alone; profile `standard`. */
export type Expected = Record<string, unknown>

export const base64 = (bytes: Buffer): string => bytes.toString('base64')

export function description({ description: d }: Transaction): Expected {
  const change = { unchanged: 'unchanged', frozen: 'frozen', deleted: 'deleted' } as const
  if (d.type !== 'generic' && d.type !== 'tick-tock') throw new Error(`unexpected ${d.type}`)
  const compute = d.computePhase
  const action = d.actionPhase
  const storage = d.storagePhase
  const credit = d.type === 'generic' ? d.creditPhase : undefined
  const bounce = d.type === 'generic' ? d.bouncePhase : undefined
  return clean({
    type: d.type === 'generic' ? 'ord' : 'tick_tock',
    aborted: d.aborted,
    destroyed: d.destroyed,
    credit_first: d.type === 'generic' ? d.creditFirst : undefined,
    is_tock: d.type === 'tick-tock' ? d.isTock : undefined,
    storage_ph:
      storage &&
      clean({
        storage_fees_collected: String(storage.storageFeesCollected),
        storage_fees_due: text(storage.storageFeesDue),
        status_change: change[storage.statusChange],
      }),
    credit_ph:
      credit &&
      clean({
        due_fees_collected: text(credit.dueFeesColelcted),
        credit: String(credit.credit.coins),
        credit_extra_currencies: credit.credit.other?.size ? currencies(credit.credit.other) : undefined,
      }),
    compute_ph:
      compute.type === 'skipped'
        ? { skipped: true, reason: compute.reason.replace('-', '_') }
        : clean({
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
            vm_init_state_hash: base64(
              Buffer.from(compute.vmInitStateHash.toString(16).padStart(64, '0'), 'hex'),
            ),
            vm_final_state_hash: base64(
              Buffer.from(compute.vmFinalStateHash.toString(16).padStart(64, '0'), 'hex'),
            ),
          }),
    action:
      action &&
      clean({
        success: action.success,
        valid: action.valid,
        no_funds: action.noFunds,
        status_change: change[action.statusChange],
        total_fwd_fees: text(action.totalFwdFees),
        total_action_fees: text(action.totalActionFees),
        result_code: action.resultCode,
        result_arg: action.resultArg ?? undefined,
        tot_actions: action.totalActions,
        spec_actions: action.specActions,
        skipped_actions: action.skippedActions,
        msgs_created: action.messagesCreated,
        action_list_hash: base64(Buffer.from(action.actionListHash.toString(16).padStart(64, '0'), 'hex')),
        tot_msg_size: {
          cells: String(action.totalMessageSize.cells),
          bits: String(action.totalMessageSize.bits),
        },
      }),
    bounce: bounce && bounceJson(bounce),
  })
}

function bounceJson(
  b: NonNullable<Extract<Transaction['description'], { type: 'generic' }>['bouncePhase']>,
): Expected {
  if (b.type === 'negative-funds') return { type: 'negfunds' }
  const size = { cells: String(b.messageSize.cells), bits: String(b.messageSize.bits) }
  if (b.type === 'no-funds')
    return { type: 'nofunds', msg_size: size, req_fwd_fees: String(b.requiredForwardFees) }
  return { type: 'ok', msg_size: size, msg_fees: String(b.messageFees), fwd_fees: String(b.forwardFees) }
}

const text = (value: bigint | null | undefined) =>
  value === null || value === undefined ? undefined : String(value)
const clean = (object: Expected): Expected =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined && value !== null))

export function currencies(other: Dictionary<number, bigint> | null | undefined): Record<string, string> {
  return Object.fromEntries([...(other ?? [])].map(([id, amount]) => [String(id), String(amount)]))
}
