// What a delivery needs; `./outbox` decides what is delivered.

export { type Delivery, DeliveryFailed, type PostOptions, postEvent } from './post.ts'
export { failureDelays, PATIENCE_S, TEXT_PATIENCE_S } from './schedule.ts'
export { checkTarget } from './target.ts'
