package tencent_test

import "testing"

// overLine lets rigs go over the simulation's wire and not over a socket.
var overLine bool

// TestOverLine: on the wire on which the simulation has the cloud, client and cloud
// get along as they do on a real one; also when something goes wrong.
func TestOverLine(t *testing.T) {
	overLine = true
	defer func() { overLine = false }()
	for name, test := range map[string]func(*testing.T){
		"whole life":              TestWholeLife,
		"prepaid orders":          TestPrepaidOrders,
		"find among many names":   TestFindAmongManyNames,
		"find sees isolated ones": TestFindSeesIsolatedOnes,
		"what the cloud refuses":  TestWhatTheCloudRefuses,
		"lost and mangled":        TestLostAndMangledAnswers,
		"slow answers":            TestSlowAnswersArrive,
		"calls end in time":       TestCallsEndWithTheirContext,
	} {
		t.Run(name, test)
	}
}
