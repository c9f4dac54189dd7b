import { mongodbStandalone, useService } from '@holdfast/services'
import * as runner from 'vitest'
import { testBoth } from './support/conformance.ts'

const server = await useService(mongodbStandalone, runner)
if (server) testBoth(server)
