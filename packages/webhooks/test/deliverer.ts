// A process that delivers the events of the outbox of DATABASE_URL until it is killed.
import { createDb } from '@shardwalk/db'
import { keepPlans } from '@shardwalk/queries'
import { WebhookDispatcher } from '../src/outbox/index.ts'
import { deliveryServices } from './delivery-services.ts'

const { pool } = createDb({ url: process.env['DATABASE_URL']!, max: 6 })
const db = keepPlans(pool)
new WebhookDispatcher({ services: deliveryServices(db), db, allowPrivate: true })
