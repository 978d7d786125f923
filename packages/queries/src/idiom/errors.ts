import { IndexerError } from '@shardwalk/model'

/** The cursor does not belong to this list and order. */
export class WrongCursor extends IndexerError {
  readonly code = 'wrong_cursor'
  readonly retry = 'never'

  constructor(readonly order: string) {
    super(`the cursor does not belong to the order ${order}`)
  }
}
