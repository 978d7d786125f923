export {
  type Classified,
  type ClassifyQueueOptions,
  classifyWaiting,
  countUnclassified,
  enqueueForClassifier,
} from './classify-queue.ts'
export { loadFacts } from './facts.ts'
export { loadTraces } from './load-traces.ts'
export { CLASSIFIER_VERSION } from './write-actions.ts'
