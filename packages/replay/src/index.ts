export type { SentMessage } from './answers/messages.ts'
export { ReplayChain } from './chain.ts'
export { damagedLine } from './full-nodes/damaged-line.ts'
export {
  type FullNodeFaults,
  ReplayFullNodes,
  type ReplayFullNodesOptions,
} from './full-nodes/replay-full-nodes.ts'
export { formatGlobalConfig, withDht } from './global-config.ts'
export { LiteService, type LiteServiceOptions } from './lite-service.ts'
export { type RecordedAnswer, readRecordedAnswers } from './recorded-answers.ts'
export { externalMessages, recordedMessages } from './recorded-messages.ts'
export { type Replay, type ReplayOptions, startReplay } from './replay-server.ts'
export type { WrongAnswers } from './wrong-answers.ts'
