import { IndexerError } from '@shardwalk/model'

/** The queue of runs is full; nothing was started. */
export class TvmOverloaded extends IndexerError {
  readonly code = 'tvm_overloaded'
  readonly retry = 'later'

  constructor(waiting: number) {
    super(`${waiting} get-method runs are waiting already`)
  }
}

/** The pool was closed before or during the run. */
export class TvmClosed extends IndexerError {
  readonly code = 'tvm_closed'
  readonly retry = 'later'

  constructor() {
    super('the pool of TVM workers is closed')
  }
}

/** Worker threads exit before they are ready, so nothing can be run. */
export class TvmUnavailable extends IndexerError {
  readonly code = 'tvm_unavailable'
  readonly retry = 'later'
}
