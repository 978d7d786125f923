import type { Db } from '@shardwalk/db'
import type { ScratchDatabase } from '@shardwalk/testkit'

/** Calls that together execute every raw statement of a topic on the recorded chain. */
export type Calls = (db: Db, scratch: ScratchDatabase) => Promise<void>
