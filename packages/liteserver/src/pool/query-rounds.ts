import type { LiteServer } from './lite-server.ts'

const FIRST_PAUSE_MS = 200
const MAX_PAUSE_MS = 2000
/**
 * Number of rounds in which all servers must answer "not found". It is higher when no masterchain seqno
 * indicates whether the block is old or still in production.
 */
const NOT_FOUND_ROUNDS = 3
const NOT_FOUND_ROUNDS_OF_UNKNOWN_AGE = 5
/** Number of archive servers whose "not found" is final for an old block. */
const REQUIRED_DENIALS = 2

/** The failures of one query. A round is over when every server has failed in it. */
export class QueryRounds {
  /** Servers that failed in this round. */
  readonly tried = new Set<LiteServer>()
  private notFound = 0
  private notFoundRounds = 0
  private readonly denials = new Set<LiteServer>()
  private ended = 0

  addFailure(server: LiteServer): void {
    this.tried.add(server)
  }

  /** `isDenial`: by an archive server, of a block that it would have if there were one. */
  addNotFound(server: LiteServer, { isDenial }: { readonly isDenial: boolean }): void {
    this.tried.add(server)
    this.notFound++
    if (isDenial) this.denials.add(server)
  }

  /** Enough archive servers have denied the block. */
  get isDenied(): boolean {
    return this.denials.size >= REQUIRED_DENIALS
  }

  /** In enough rounds all servers lacked the block, which is `isDated` if its masterchain seqno is known. */
  isMissing({ isDated }: { readonly isDated: boolean }): boolean {
    return this.notFoundRounds >= (isDated ? NOT_FOUND_ROUNDS : NOT_FOUND_ROUNDS_OF_UNKNOWN_AGE)
  }

  /** Begins the next round. Returns the milliseconds to wait before it. */
  next(): number {
    if (this.notFound === this.tried.size) this.notFoundRounds++
    this.tried.clear()
    this.notFound = 0
    return Math.min(FIRST_PAUSE_MS * 2 ** this.ended++, MAX_PAUSE_MS)
  }
}
