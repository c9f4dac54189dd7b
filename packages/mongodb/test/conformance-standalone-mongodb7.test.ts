import { mongodbStandalone } from '@holdfast/services'
import { testOn } from './support/conformance.ts'

await testOn(mongodbStandalone, 'mongodb 7')
