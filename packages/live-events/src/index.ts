// Events for the streaming API, out of the tables.

export { BlockFollower } from './block-follower.ts'
export type { EventServices } from './event-services.ts'
export { LiveEvents, type LiveEventsOptions } from './live-events.ts'
