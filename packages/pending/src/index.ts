// Messages that were sent and have not happened yet.

export { ConfirmedBlocks } from './confirmed/confirmed-blocks.ts'
export { SignedBlockWatcher } from './confirmed/signed-block-watcher.ts'
export { HeardMessages, type HeardOptions } from './heard.ts'
export { type KeeperOptions, PendingKeeper } from './keeper.ts'
export { MAX_MESSAGE_BYTES, readSentMessage } from './read-sent.ts'
export { decodeTrace, type StoredNode, type StoredState, type StoredTrace } from './stored-trace.ts'
