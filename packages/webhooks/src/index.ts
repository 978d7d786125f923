// What a delivery needs; `./outbox` decides what is delivered.

export { postEvent } from './post.ts'
export { checkTarget } from './target.ts'
