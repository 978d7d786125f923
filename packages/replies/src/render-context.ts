import type { Json, ProfileRules } from '@shardwalk/api-schema'
import type { Db } from '@shardwalk/db'
import type { ImageProxy } from '@shardwalk/metadata'
import type { AccountCache } from '@shardwalk/queries'
import type { ReplySize } from './reply-size.ts'

/** What rows are rendered with. */
export interface RenderContext {
  readonly db: Db
  /** For background writes; undefined: nothing is written. */
  readonly writableDb?: Db | undefined
  /**
   * Reads while the reply is being written, when `db` may already serve another request. Reads of large
   * replies wait for their turn.
   */
  readonly reading: <T>(work: (db: Db) => Promise<T>) => Promise<T>
  readonly size: ReplySize
  readonly rules: ProfileRules
  readonly settings: RenderSettings
  readonly accounts: AccountCache
  /** True if addresses of the network have the test flag. */
  readonly testOnly: boolean
  /** Names of NFT marketplaces by raw address. */
  readonly marketplaces: ReadonlyMap<string, string>
  /** Serves token images in three sizes; without it, replies have no links to them. */
  readonly imageProxy?: ImageProxy | undefined
}

/** What a client wants of a reply. */
export interface RenderSettings {
  readonly noAddressBook: boolean
  readonly noMetadata: boolean
  /** Replaces `supported_action_types`. */
  readonly actionsVersion?: string | undefined
}

type Fields = Readonly<Record<string, Json>>

/** Part of a list; each row is JSON text. */
export interface Page {
  /** Rows are rendered (and large ones loaded) while the reply is written. */
  readonly items: Iterable<Json> | AsyncIterable<Json>
  /** Cursor of the next page; undefined on the last page. */
  readonly next?: string | undefined
  /** Further keys of the reply in order, as JSON text. A function is called after the last row. */
  readonly fields?: Fields | (() => Promise<Fields>)
}
