import type { MessageValue } from '@shardwalk/db'
import type { Condition, LtRange, Slice, TimeRange } from '../idiom/index.ts'
import { Cursor, type CursorColumn, earlier, hash256, int4, int8, later } from '../idiom/index.ts'
import { atEnd } from './message-filter.ts'
import { EXTERNAL_IN, type MessageRow } from './message-rows.ts'

/** Columns that order a list of messages. */
export type MessagePosition = Pick<MessageRow, 'kind' | 'created_at' | 'created_lt' | 'hash'>

export type MessageSlice = Slice<MessagePosition>

const orZero = <T>(column: CursorColumn<T>): CursorColumn<T | null> => ({
  toNumber: (value) => (value === null ? 0 : column.toNumber(value)),
  fromNumber: column.fromNumber,
})

/** A place in a list of messages; external inbound messages have neither time nor lt. */
export const MESSAGE_CURSOR = new Cursor<MessagePosition>('msg', {
  kind: int4,
  created_at: orZero(int4),
  created_lt: orZero(int8),
  hash: hash256,
})

/** External-in messages have no time of creation; the cursor has zeros instead. */
export const positionOf = (position: MessagePosition): MessagePosition =>
  position.kind === EXTERNAL_IN ? { ...position, created_at: null, created_lt: null } : position

/** Messages that have a value, ordered by lt. */
export interface MessageList {
  readonly by: MessageValue
  readonly value: bigint
  readonly condition: Condition
}

/** `in`: a transaction received it; `out`: a transaction sent it. */
export type Side = 'in' | 'out'

/** What a list of messages selects. Ranges include both ends. */
export interface MessageScan {
  /** Bounds created_lt. */
  readonly lt: LtRange
  /** Bounds created_at. */
  readonly time: TimeRange
  /** Conditions on the table aliased `m`. */
  readonly conditions: readonly Condition[]
  /** Only messages with this end. */
  readonly side?: Side | undefined
  /** The lists whose intersection the conditions select: `crossedLists`. */
  readonly lists: readonly MessageList[]
  /** All are of this account, as sender or receiver. */
  readonly account?: bigint | undefined
  /** No system messages are among them, so that created_lt equals lt. */
  readonly onlySent?: boolean
  /**
   * The conditions have one indexed value or none, so that the choice of the index does not depend on values.
   */
  readonly keepPlan?: boolean
}

/** All conditions but the bounds. */
export const conditionsOf = ({
  conditions,
  side,
  lt,
}: Pick<MessageScan, 'conditions' | 'side' | 'lt'>): readonly Condition[] =>
  side ? [...conditions, atEnd(side, lt)] : conditions

/** The part of a range of created_lt that is not before the position. */
export function beyondPosition(
  { from, to }: LtRange,
  { after, sort }: Pick<MessageSlice, 'after' | 'sort'>,
): LtRange {
  if (after?.created_lt == null) return { from, to }
  return sort === 'asc'
    ? { from: later(from, after.created_lt), to }
    : { from, to: earlier(to, after.created_lt) }
}
