import type { Condition, LtRange, Slice, TimeRange } from '../idiom/index.ts'
import { Cursor, type CursorColumn, earlier, hash256, int4, int8, later } from '../idiom/index.ts'
import { EXTERNAL_IN, type MessageRow } from './message-rows.ts'

/** Ordering columns of a list of messages. */
export type MessagePosition = Pick<MessageRow, 'kind' | 'created_at' | 'created_lt' | 'hash'>

export type MessageSlice = Slice<MessagePosition>

const orZero = <T>(column: CursorColumn<T>): CursorColumn<T | null> => ({
  toNumber: (value) => (value === null ? 0 : column.toNumber(value)),
  fromNumber: column.fromNumber,
})

export const MESSAGE_CURSOR = new Cursor<MessagePosition>('msg', {
  kind: int4,
  created_at: orZero(int4),
  created_lt: orZero(int8),
  hash: hash256,
})

/** External-in messages have no time of creation; cursors have zeros there. */
export const positionOf = (position: MessagePosition): MessagePosition =>
  position.kind === EXTERNAL_IN ? { ...position, created_at: null, created_lt: null } : position

export interface MessageScan {
  /** On created_lt. */
  readonly lt: LtRange
  /** On created_at. */
  readonly time: TimeRange
  /** Over the table `m`. */
  readonly conditions: readonly Condition[]
  /** The lists that the conditions name together: `crossedLists`. */
  readonly lists: readonly Condition[]
  /** The conditions name one value of an index or nothing: the index to walk does not depend on values. */
  readonly keepPlan?: boolean
}

/** What of a range of created_lt does not lie before the position. */
export function beyondPosition(
  { from, to }: LtRange,
  { after, sort }: Pick<MessageSlice, 'after' | 'sort'>,
): LtRange {
  if (after?.created_lt == null) return { from, to }
  return sort === 'asc'
    ? { from: later(from, after.created_lt), to }
    : { from, to: earlier(to, after.created_lt) }
}
