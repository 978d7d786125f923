import { IndexerError } from '@shardwalk/model'

/** The cursor was not made by this list in this order. */
export class WrongCursor extends IndexerError {
  readonly code = 'wrong_cursor'
  readonly retry = 'never'

  constructor(readonly order: string) {
    super(`the cursor does not belong to the order ${order}`)
  }
}
