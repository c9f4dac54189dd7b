/** Starts a Redis, says where, and waits to be killed. */
import { redis } from '../../src/index.ts'

const service = await redis.start()
console.log(service.url)
setInterval(() => {}, 60_000)
