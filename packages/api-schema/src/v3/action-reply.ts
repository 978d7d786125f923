import * as z from 'zod'
import { ACTION_DETAILS } from './action-details/index.ts'
import { address, digits, hash, int } from './replies.ts'

type Details = typeof ACTION_DETAILS
/** Types of actions that have a schema of their details. */
export type ActionType = keyof Details

/** Members of every action, in output order. */
const envelope = <Transaction extends z.ZodType>(transaction: Transaction) => ({
  trace_id: hash.nullable(),
  action_id: hash,
  start_lt: digits,
  end_lt: digits,
  start_utime: int,
  end_utime: int,
  trace_end_lt: digits,
  trace_end_utime: int,
  trace_mc_seqno_end: int,
  transactions: z.array(hash),
  success: z.boolean().nullable(),
  type: z.string(),
  details: z.looseObject({}),
  trace_external_hash: hash.optional(),
  trace_external_hash_norm: hash.optional(),
  accounts: z.array(address).optional(),
  transactions_full: z.array(transaction).optional(),
  finality: z.enum(['pending', 'confirmed', 'finalized']),
  parent_gasless_action: hash.optional(),
})

type Envelope<Transaction extends z.ZodType> = z.output<z.ZodObject<ReturnType<typeof envelope<Transaction>>>>

/** An action whose details follow from its type. */
export type ActionOf<Transaction extends z.ZodType, Type extends ActionType = ActionType> = {
  [T in Type]: Omit<Envelope<Transaction>, 'type' | 'details'> & {
    type: T
    details: z.output<Details[T]>
  }
}[Type]

/** `ActionJettonTransfer` of `jetton_transfer`. */
const nameOf = (type: string): string =>
  `Action${type.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())}`

/**
 * Schemas of an action: `base` has the members of all, `union` one schema for each type, which OpenAPI
 * describes as `base` and the type with its details.
 */
export function actionReplies<Transaction extends z.ZodType>(transaction: Transaction) {
  const base = z.strictObject(envelope(transaction)).meta({ id: 'ActionBase' })
  const variants = Object.entries(ACTION_DETAILS).map(([type, details]) =>
    z
      .strictObject({ ...base.shape, type: z.literal(type), details })
      .meta({ id: nameOf(type), extends: 'ActionBase' }),
  ) as unknown as [z.ZodObject, ...z.ZodObject[]]
  const union = z.discriminatedUnion('type', variants as never).meta({ id: 'Action' })
  return { base, union: union as unknown as z.ZodType<ActionOf<Transaction>> }
}
