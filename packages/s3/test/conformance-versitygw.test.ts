import { versitygw } from '@holdfast/services'
import { conformance } from './support/conformance.ts'

await conformance(versitygw, { first: true })
