export {
  type Classified,
  type ClassifierQueueState,
  type ClassifyQueueOptions,
  classifyWaiting,
  countUnclassified,
  enqueueForClassifier,
  QueueClassifier,
  readClassifierQueue,
} from './classify-queue.ts'
export { findTraceRows, type LoadedTrace, loadTraces } from './load-traces.ts'
export { type Details, isPacked, packDetails, type StoredDetails, unpackDetails } from './packed-details.ts'
export { findTraceWithFacts } from './trace-with-facts.ts'
export { CLASSIFIER_VERSION } from './write-actions.ts'
