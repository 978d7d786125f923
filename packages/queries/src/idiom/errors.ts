import { IndexerError } from '@shardwalk/model'

/** The cursor does not belong to this list and order. */
export class WrongCursor extends IndexerError {
  readonly code = 'wrong_cursor'
  readonly retry = 'never'

  constructor(readonly order: string) {
    super(`the cursor does not belong to the order ${order}`)
  }
}

/** The offset is larger than `MAX_HELD_OFFSET`, in a list whose skipped rows are held here. */
export class OffsetTooLarge extends IndexerError {
  readonly code = 'offset_too_large'
  readonly retry = 'never'

  constructor(readonly offset: number) {
    super(`offset ${offset} of a list whose skipped rows are held`)
  }
}

/** The rows of the page are too large: the client has to request fewer. */
export class PageTooLarge extends IndexerError {
  readonly code = 'page_too_large'
  readonly retry = 'never'

  constructor(readonly bytes: number) {
    super(`a page whose rows hold ${bytes} bytes`)
  }
}
