import { cephRgw } from '@holdfast/services'
import { conformance } from './support/conformance.ts'

await conformance(cephRgw, { first: false })
