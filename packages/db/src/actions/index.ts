export { assembleTrace, type TransactionOutcome } from './assemble-trace.ts'
export { type Classified, classifyWaiting, QueueClassifier } from './classify-queue.ts'
export { loadTraces } from './load-traces.ts'
export { isPacked, packDetails, type StoredDetails, unpackDetails } from './packed-details.ts'
export { findTraceRows } from './trace-rows.ts'
export { findTraceWithFacts } from './trace-with-facts.ts'
export {
  type ClassifierQueueState,
  countUnclassified,
  enqueueForClassifier,
  readClassifierQueue,
} from './unclassified-traces.ts'
export { CLASSIFIER_VERSION } from './write-actions.ts'
