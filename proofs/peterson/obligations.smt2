(set-logic ALL)
(declare-datatypes ((S0 0)) (((e0_0) (e0_1))))
(declare-datatypes ((S1 0)) (((c1_0 (d1_0 S0)))))
(declare-datatypes ((E0 0)) (((E0_0) (E0_1) (E0_2) (E0_3) (E0_4) (E0_5) (E0_6) (E0_7))))
(declare-fun f0 (S0) S0)
(declare-fun f1 (S0) Bool)
(declare-fun f2 () S0)
(declare-fun f3 (S0) E0)
; initial 0
(push 1)
(assert (forall ((q1 S0)) (and (not (= (f0 q1) q1)) (= (f0 (f0 q1)) q1))))
(define-fun f1! ((q1 S0)) Bool false)
(define-fun f2! () S0 e0_0)
(define-fun f3! ((q1 S0)) E0 E0_0)
; possible initial 0
(check-sat)
; init 0 mutual_exclusion
(push 1)
(assert (not (forall ((q1 S0)) (forall ((q2 S0)) (=> (and (= (f3! q1) E0_5) (= (f3! q2) E0_5)) (= q1 q2))))))
(check-sat)
(pop 1)
; init 0 two_sides
(push 1)
(assert (not (forall ((q1 S0)) (and (not (= (f0 q1) q1)) (= (f0 (f0 q1)) q1)))))
(check-sat)
(pop 1)
; init 0 said_so
(push 1)
(assert (not (forall ((q1 S0)) (=> (or (or (or (= (f3! q1) E0_2) (or (= (f3! q1) E0_3) (= (f3! q1) E0_4))) (= (f3! q1) E0_5)) (= (f3! q1) E0_6)) (f1! q1)))))
(check-sat)
(pop 1)
; init 0 has_the_turn
(push 1)
(assert (not (forall ((q1 S0)) (=> (and (or (= (f3! q1) E0_5) (= (f3! q1) E0_6)) (or (or (or (= (f3! (f0 q1)) E0_3) (= (f3! (f0 q1)) E0_4)) (= (f3! (f0 q1)) E0_5)) (= (f3! (f0 q1)) E0_6))) (= f2! q1)))))
(check-sat)
(pop 1)
(pop 1)
; any state
(push 1)
; not a tautology mutual_exclusion
(push 1)
(assert (not (forall ((q1 S0)) (forall ((q2 S0)) (=> (and (= (f3 q1) E0_5) (= (f3 q2) E0_5)) (= q1 q2))))))
(check-sat)
(pop 1)
(pop 1)
(assert (forall ((q1 S0)) (forall ((q2 S0)) (=> (and (= (f3 q1) E0_5) (= (f3 q2) E0_5)) (= q1 q2)))))
(assert (forall ((q1 S0)) (and (not (= (f0 q1) q1)) (= (f0 (f0 q1)) q1))))
(assert (forall ((q1 S0)) (=> (or (or (or (= (f3 q1) E0_2) (or (= (f3 q1) E0_3) (= (f3 q1) E0_4))) (= (f3 q1) E0_5)) (= (f3 q1) E0_6)) (f1 q1))))
(assert (forall ((q1 S0)) (=> (and (or (= (f3 q1) E0_5) (= (f3 q1) E0_6)) (or (or (or (= (f3 (f0 q1)) E0_3) (= (f3 (f0 q1)) E0_4)) (= (f3 (f0 q1)) E0_5)) (= (f3 (f0 q1)) E0_6))) (= f2 q1))))
; action 0 run.0
(push 1)
(declare-fun c0 () S0)
(assert (= (f3 c0) E0_0))
(define-fun f3! ((q1 S0)) E0 (ite (and (= q1 c0)) E0_7 (f3 q1)))
; possible 0
(check-sat)
; keep 0 mutual_exclusion
(push 1)
(assert (not (forall ((q1 S0)) (forall ((q2 S0)) (=> (and (= (f3! q1) E0_5) (= (f3! q2) E0_5)) (= q1 q2))))))
(check-sat)
(pop 1)
; keep 0 said_so
(push 1)
(assert (not (forall ((q1 S0)) (=> (or (or (or (= (f3! q1) E0_2) (or (= (f3! q1) E0_3) (= (f3! q1) E0_4))) (= (f3! q1) E0_5)) (= (f3! q1) E0_6)) (f1 q1)))))
(check-sat)
(pop 1)
; keep 0 has_the_turn
(push 1)
(assert (not (forall ((q1 S0)) (=> (and (or (= (f3! q1) E0_5) (= (f3! q1) E0_6)) (or (or (or (= (f3! (f0 q1)) E0_3) (= (f3! (f0 q1)) E0_4)) (= (f3! (f0 q1)) E0_5)) (= (f3! (f0 q1)) E0_6))) (= f2 q1)))))
(check-sat)
(pop 1)
(pop 1)
; action 1 run.0
(push 1)
(declare-fun c0 () S0)
(assert (= (f3 c0) E0_0))
(define-fun f3! ((q1 S0)) E0 (ite (and (= q1 c0)) E0_1 (f3 q1)))
; possible 1
(check-sat)
; keep 1 mutual_exclusion
(push 1)
(assert (not (forall ((q1 S0)) (forall ((q2 S0)) (=> (and (= (f3! q1) E0_5) (= (f3! q2) E0_5)) (= q1 q2))))))
(check-sat)
(pop 1)
; keep 1 said_so
(push 1)
(assert (not (forall ((q1 S0)) (=> (or (or (or (= (f3! q1) E0_2) (or (= (f3! q1) E0_3) (= (f3! q1) E0_4))) (= (f3! q1) E0_5)) (= (f3! q1) E0_6)) (f1 q1)))))
(check-sat)
(pop 1)
; keep 1 has_the_turn
(push 1)
(assert (not (forall ((q1 S0)) (=> (and (or (= (f3! q1) E0_5) (= (f3! q1) E0_6)) (or (or (or (= (f3! (f0 q1)) E0_3) (= (f3! (f0 q1)) E0_4)) (= (f3! (f0 q1)) E0_5)) (= (f3! (f0 q1)) E0_6))) (= f2 q1)))))
(check-sat)
(pop 1)
(pop 1)
; action 2 run.1
(push 1)
(declare-fun c0 () S0)
(assert (= (f3 c0) E0_1))
(define-fun f1! ((q1 S0)) Bool (ite (and (= q1 c0)) true (f1 q1)))
(define-fun f3! ((q1 S0)) E0 (ite (and (= q1 c0)) E0_2 (f3 q1)))
; possible 2
(check-sat)
; keep 2 mutual_exclusion
(push 1)
(assert (not (forall ((q1 S0)) (forall ((q2 S0)) (=> (and (= (f3! q1) E0_5) (= (f3! q2) E0_5)) (= q1 q2))))))
(check-sat)
(pop 1)
; keep 2 said_so
(push 1)
(assert (not (forall ((q1 S0)) (=> (or (or (or (= (f3! q1) E0_2) (or (= (f3! q1) E0_3) (= (f3! q1) E0_4))) (= (f3! q1) E0_5)) (= (f3! q1) E0_6)) (f1! q1)))))
(check-sat)
(pop 1)
; keep 2 has_the_turn
(push 1)
(assert (not (forall ((q1 S0)) (=> (and (or (= (f3! q1) E0_5) (= (f3! q1) E0_6)) (or (or (or (= (f3! (f0 q1)) E0_3) (= (f3! (f0 q1)) E0_4)) (= (f3! (f0 q1)) E0_5)) (= (f3! (f0 q1)) E0_6))) (= f2 q1)))))
(check-sat)
(pop 1)
(pop 1)
; action 3 run.2
(push 1)
(declare-fun c0 () S0)
(assert (= (f3 c0) E0_2))
(define-fun f2! () S0 (f0 c0))
(define-fun f3! ((q1 S0)) E0 (ite (and (= q1 c0)) E0_3 (f3 q1)))
; possible 3
(check-sat)
; keep 3 mutual_exclusion
(push 1)
(assert (not (forall ((q1 S0)) (forall ((q2 S0)) (=> (and (= (f3! q1) E0_5) (= (f3! q2) E0_5)) (= q1 q2))))))
(check-sat)
(pop 1)
; keep 3 said_so
(push 1)
(assert (not (forall ((q1 S0)) (=> (or (or (or (= (f3! q1) E0_2) (or (= (f3! q1) E0_3) (= (f3! q1) E0_4))) (= (f3! q1) E0_5)) (= (f3! q1) E0_6)) (f1 q1)))))
(check-sat)
(pop 1)
; keep 3 has_the_turn
(push 1)
(assert (not (forall ((q1 S0)) (=> (and (or (= (f3! q1) E0_5) (= (f3! q1) E0_6)) (or (or (or (= (f3! (f0 q1)) E0_3) (= (f3! (f0 q1)) E0_4)) (= (f3! (f0 q1)) E0_5)) (= (f3! (f0 q1)) E0_6))) (= f2! q1)))))
(check-sat)
(pop 1)
(pop 1)
; action 4 run.3
(push 1)
(declare-fun c0 () S0)
(assert (and (= (f3 c0) E0_3) (f1 (f0 c0))))
(define-fun f3! ((q1 S0)) E0 (ite (and (= q1 c0)) E0_4 (f3 q1)))
; possible 4
(check-sat)
; keep 4 mutual_exclusion
(push 1)
(assert (not (forall ((q1 S0)) (forall ((q2 S0)) (=> (and (= (f3! q1) E0_5) (= (f3! q2) E0_5)) (= q1 q2))))))
(check-sat)
(pop 1)
; keep 4 said_so
(push 1)
(assert (not (forall ((q1 S0)) (=> (or (or (or (= (f3! q1) E0_2) (or (= (f3! q1) E0_3) (= (f3! q1) E0_4))) (= (f3! q1) E0_5)) (= (f3! q1) E0_6)) (f1 q1)))))
(check-sat)
(pop 1)
; keep 4 has_the_turn
(push 1)
(assert (not (forall ((q1 S0)) (=> (and (or (= (f3! q1) E0_5) (= (f3! q1) E0_6)) (or (or (or (= (f3! (f0 q1)) E0_3) (= (f3! (f0 q1)) E0_4)) (= (f3! (f0 q1)) E0_5)) (= (f3! (f0 q1)) E0_6))) (= f2 q1)))))
(check-sat)
(pop 1)
(pop 1)
; action 5 run.3
(push 1)
(declare-fun c0 () S0)
(assert (and (= (f3 c0) E0_3) (not (f1 (f0 c0)))))
(define-fun f3! ((q1 S0)) E0 (ite (and (= q1 c0)) E0_5 (f3 q1)))
; possible 5
(check-sat)
; keep 5 mutual_exclusion
(push 1)
(assert (not (forall ((q1 S0)) (forall ((q2 S0)) (=> (and (= (f3! q1) E0_5) (= (f3! q2) E0_5)) (= q1 q2))))))
(check-sat)
(pop 1)
; keep 5 said_so
(push 1)
(assert (not (forall ((q1 S0)) (=> (or (or (or (= (f3! q1) E0_2) (or (= (f3! q1) E0_3) (= (f3! q1) E0_4))) (= (f3! q1) E0_5)) (= (f3! q1) E0_6)) (f1 q1)))))
(check-sat)
(pop 1)
; keep 5 has_the_turn
(push 1)
(assert (not (forall ((q1 S0)) (=> (and (or (= (f3! q1) E0_5) (= (f3! q1) E0_6)) (or (or (or (= (f3! (f0 q1)) E0_3) (= (f3! (f0 q1)) E0_4)) (= (f3! (f0 q1)) E0_5)) (= (f3! (f0 q1)) E0_6))) (= f2 q1)))))
(check-sat)
(pop 1)
(pop 1)
; action 6 run.4
(push 1)
(declare-fun c0 () S0)
(assert (and (= (f3 c0) E0_4) (not (= f2 c0))))
(define-fun f3! ((q1 S0)) E0 (ite (and (= q1 c0)) E0_3 (f3 q1)))
; possible 6
(check-sat)
; keep 6 mutual_exclusion
(push 1)
(assert (not (forall ((q1 S0)) (forall ((q2 S0)) (=> (and (= (f3! q1) E0_5) (= (f3! q2) E0_5)) (= q1 q2))))))
(check-sat)
(pop 1)
; keep 6 said_so
(push 1)
(assert (not (forall ((q1 S0)) (=> (or (or (or (= (f3! q1) E0_2) (or (= (f3! q1) E0_3) (= (f3! q1) E0_4))) (= (f3! q1) E0_5)) (= (f3! q1) E0_6)) (f1 q1)))))
(check-sat)
(pop 1)
; keep 6 has_the_turn
(push 1)
(assert (not (forall ((q1 S0)) (=> (and (or (= (f3! q1) E0_5) (= (f3! q1) E0_6)) (or (or (or (= (f3! (f0 q1)) E0_3) (= (f3! (f0 q1)) E0_4)) (= (f3! (f0 q1)) E0_5)) (= (f3! (f0 q1)) E0_6))) (= f2 q1)))))
(check-sat)
(pop 1)
(pop 1)
; action 7 run.4
(push 1)
(declare-fun c0 () S0)
(assert (and (= (f3 c0) E0_4) (= f2 c0)))
(define-fun f3! ((q1 S0)) E0 (ite (and (= q1 c0)) E0_5 (f3 q1)))
; possible 7
(check-sat)
; keep 7 mutual_exclusion
(push 1)
(assert (not (forall ((q1 S0)) (forall ((q2 S0)) (=> (and (= (f3! q1) E0_5) (= (f3! q2) E0_5)) (= q1 q2))))))
(check-sat)
(pop 1)
; keep 7 said_so
(push 1)
(assert (not (forall ((q1 S0)) (=> (or (or (or (= (f3! q1) E0_2) (or (= (f3! q1) E0_3) (= (f3! q1) E0_4))) (= (f3! q1) E0_5)) (= (f3! q1) E0_6)) (f1 q1)))))
(check-sat)
(pop 1)
; keep 7 has_the_turn
(push 1)
(assert (not (forall ((q1 S0)) (=> (and (or (= (f3! q1) E0_5) (= (f3! q1) E0_6)) (or (or (or (= (f3! (f0 q1)) E0_3) (= (f3! (f0 q1)) E0_4)) (= (f3! (f0 q1)) E0_5)) (= (f3! (f0 q1)) E0_6))) (= f2 q1)))))
(check-sat)
(pop 1)
(pop 1)
; action 8 run.5
(push 1)
(declare-fun c0 () S0)
(assert (= (f3 c0) E0_5))
(define-fun f3! ((q1 S0)) E0 (ite (and (= q1 c0)) E0_6 (f3 q1)))
; possible 8
(check-sat)
; keep 8 mutual_exclusion
(push 1)
(assert (not (forall ((q1 S0)) (forall ((q2 S0)) (=> (and (= (f3! q1) E0_5) (= (f3! q2) E0_5)) (= q1 q2))))))
(check-sat)
(pop 1)
; keep 8 said_so
(push 1)
(assert (not (forall ((q1 S0)) (=> (or (or (or (= (f3! q1) E0_2) (or (= (f3! q1) E0_3) (= (f3! q1) E0_4))) (= (f3! q1) E0_5)) (= (f3! q1) E0_6)) (f1 q1)))))
(check-sat)
(pop 1)
; keep 8 has_the_turn
(push 1)
(assert (not (forall ((q1 S0)) (=> (and (or (= (f3! q1) E0_5) (= (f3! q1) E0_6)) (or (or (or (= (f3! (f0 q1)) E0_3) (= (f3! (f0 q1)) E0_4)) (= (f3! (f0 q1)) E0_5)) (= (f3! (f0 q1)) E0_6))) (= f2 q1)))))
(check-sat)
(pop 1)
(pop 1)
; action 9 run.6
(push 1)
(declare-fun c0 () S0)
(assert (= (f3 c0) E0_6))
(define-fun f1! ((q1 S0)) Bool (ite (and (= q1 c0)) false (f1 q1)))
(define-fun f3! ((q1 S0)) E0 (ite (and (= q1 c0)) E0_0 (f3 q1)))
; possible 9
(check-sat)
; keep 9 mutual_exclusion
(push 1)
(assert (not (forall ((q1 S0)) (forall ((q2 S0)) (=> (and (= (f3! q1) E0_5) (= (f3! q2) E0_5)) (= q1 q2))))))
(check-sat)
(pop 1)
; keep 9 said_so
(push 1)
(assert (not (forall ((q1 S0)) (=> (or (or (or (= (f3! q1) E0_2) (or (= (f3! q1) E0_3) (= (f3! q1) E0_4))) (= (f3! q1) E0_5)) (= (f3! q1) E0_6)) (f1! q1)))))
(check-sat)
(pop 1)
; keep 9 has_the_turn
(push 1)
(assert (not (forall ((q1 S0)) (=> (and (or (= (f3! q1) E0_5) (= (f3! q1) E0_6)) (or (or (or (= (f3! (f0 q1)) E0_3) (= (f3! (f0 q1)) E0_4)) (= (f3! (f0 q1)) E0_5)) (= (f3! (f0 q1)) E0_6))) (= f2 q1)))))
(check-sat)
(pop 1)
(pop 1)
; state
(push 1)
; possible state
(check-sat)
; safe state mutual_exclusion
(push 1)
(assert (not (forall ((q1 S0)) (forall ((q2 S0)) (=> (and (= (f3 q1) E0_5) (= (f3 q2) E0_5)) (= q1 q2))))))
(check-sat)
(pop 1)
(pop 1)
