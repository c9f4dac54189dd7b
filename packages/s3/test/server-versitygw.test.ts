import { versitygw } from '@holdfast/services'
import { serverCases } from './support/server-cases.ts'

await serverCases(versitygw, { conditionalDelete: true })
