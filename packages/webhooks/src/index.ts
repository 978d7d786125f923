// What a delivery needs; `./outbox` decides what is delivered.

export { DeliveryFailed, type PostOptions, postEvent } from './post.ts'
export { failureDelays } from './schedule.ts'
export { checkTarget } from './target.ts'
