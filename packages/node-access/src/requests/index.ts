// Bodies of requests and results of get-methods as text, in worker threads if they are large.

export { argumentsOf, readNodeBody } from './node-body.ts'
export { BODY_TYPES, type BodyType } from './posted-lists.ts'
export {
  INLINE_WORK,
  RequestThreads,
  type RequestWork,
  ThreadsBusy,
  type Work,
  type WorkOwner,
} from './request-threads.ts'
export { type JsonBody, readBody, type StackForm, stackFormOf } from './tasks.ts'
