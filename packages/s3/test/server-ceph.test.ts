import { cephRgw } from '@holdfast/services'
import { serverCases } from './support/server-cases.ts'

await serverCases(cephRgw, { conditionalDelete: false })
