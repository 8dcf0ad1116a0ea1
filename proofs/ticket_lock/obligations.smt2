(set-logic ALL)
(declare-sort S0 0)
(declare-datatypes ((S1 0)) (((c1_0 (d1_0 S0)))))
(declare-datatypes ((E0 0)) (((E0_0) (E0_1) (E0_2) (E0_3) (E0_4) (E0_5) (E0_6))))
(declare-fun e0_0 () S0)
(declare-fun f0 () Int)
(declare-fun f1 () Int)
(declare-fun f2 (S0) E0)
(declare-fun f3 (S0) Int)
; initial 0
(push 1)
(assert true)
(define-fun f0! () Int 0)
(define-fun f1! () Int 0)
(define-fun f2! ((q1 S0)) E0 E0_0)
(define-fun f3! ((q1 S0)) Int 0)
; possible initial 0
(check-sat)
; init 0 range of next_ticket
(push 1)
(assert (not (<= 0 f0!)))
(check-sat)
(pop 1)
; init 0 range of now_serving
(push 1)
(assert (not (<= 0 f1!)))
(check-sat)
(pop 1)
; init 0 range of run.mine
(push 1)
(assert (not (forall ((q1 S0)) (<= 0 (f3! q1)))))
(check-sat)
(pop 1)
; init 0 mutual_exclusion
(push 1)
(assert (not (forall ((q1 S0)) (forall ((q2 S0)) (=> (and (= (f2! q1) E0_4) (= (f2! q2) E0_4)) (= q1 q2))))))
(check-sat)
(pop 1)
; init 0 served
(push 1)
(assert (not (forall ((q1 S0)) (=> (or (= (f2! q1) E0_4) (= (f2! q1) E0_5)) (= (f3! q1) f1!)))))
(check-sat)
(pop 1)
; init 0 drawn
(push 1)
(assert (not (forall ((q1 S0)) (=> (or (or (= (f2! q1) E0_3) (= (f2! q1) E0_4)) (= (f2! q1) E0_5)) (and (<= f1! (f3! q1)) (< (f3! q1) f0!))))))
(check-sat)
(pop 1)
; init 0 different
(push 1)
(assert (not (forall ((q1 S0)) (forall ((q2 S0)) (=> (and (and (or (or (= (f2! q1) E0_3) (= (f2! q1) E0_4)) (= (f2! q1) E0_5)) (or (or (= (f2! q2) E0_3) (= (f2! q2) E0_4)) (= (f2! q2) E0_5))) (= (f3! q1) (f3! q2))) (= q1 q2))))))
(check-sat)
(pop 1)
; init 0 order
(push 1)
(assert (not (<= f1! f0!)))
(check-sat)
(pop 1)
(pop 1)
; any state
(push 1)
; not a tautology mutual_exclusion
(push 1)
(assert (not (forall ((q1 S0)) (forall ((q2 S0)) (=> (and (= (f2 q1) E0_4) (= (f2 q2) E0_4)) (= q1 q2))))))
(check-sat)
(pop 1)
(pop 1)
(assert (<= 0 f0))
(assert (<= 0 f1))
(assert (forall ((q1 S0)) (<= 0 (f3 q1))))
(assert (forall ((q1 S0)) (forall ((q2 S0)) (=> (and (= (f2 q1) E0_4) (= (f2 q2) E0_4)) (= q1 q2)))))
(assert (forall ((q1 S0)) (=> (or (= (f2 q1) E0_4) (= (f2 q1) E0_5)) (= (f3 q1) f1))))
(assert (forall ((q1 S0)) (=> (or (or (= (f2 q1) E0_3) (= (f2 q1) E0_4)) (= (f2 q1) E0_5)) (and (<= f1 (f3 q1)) (< (f3 q1) f0)))))
(assert (forall ((q1 S0)) (forall ((q2 S0)) (=> (and (and (or (or (= (f2 q1) E0_3) (= (f2 q1) E0_4)) (= (f2 q1) E0_5)) (or (or (= (f2 q2) E0_3) (= (f2 q2) E0_4)) (= (f2 q2) E0_5))) (= (f3 q1) (f3 q2))) (= q1 q2)))))
(assert (<= f1 f0))
; action 0 run.0
(push 1)
(declare-fun c0 () S0)
(assert (= (f2 c0) E0_0))
(define-fun f2! ((q1 S0)) E0 (ite (and (= q1 c0)) E0_1 (f2 q1)))
(define-fun f3! ((q1 S0)) Int (ite (and (= q1 c0)) 0 (f3 q1)))
; possible 0
(check-sat)
; keep 0 range of run.mine
(push 1)
(assert (not (forall ((q1 S0)) (<= 0 (f3! q1)))))
(check-sat)
(pop 1)
; keep 0 mutual_exclusion
(push 1)
(assert (not (forall ((q1 S0)) (forall ((q2 S0)) (=> (and (= (f2! q1) E0_4) (= (f2! q2) E0_4)) (= q1 q2))))))
(check-sat)
(pop 1)
; keep 0 served
(push 1)
(assert (not (forall ((q1 S0)) (=> (or (= (f2! q1) E0_4) (= (f2! q1) E0_5)) (= (f3! q1) f1)))))
(check-sat)
(pop 1)
; keep 0 drawn
(push 1)
(assert (not (forall ((q1 S0)) (=> (or (or (= (f2! q1) E0_3) (= (f2! q1) E0_4)) (= (f2! q1) E0_5)) (and (<= f1 (f3! q1)) (< (f3! q1) f0))))))
(check-sat)
(pop 1)
; keep 0 different
(push 1)
(assert (not (forall ((q1 S0)) (forall ((q2 S0)) (=> (and (and (or (or (= (f2! q1) E0_3) (= (f2! q1) E0_4)) (= (f2! q1) E0_5)) (or (or (= (f2! q2) E0_3) (= (f2! q2) E0_4)) (= (f2! q2) E0_5))) (= (f3! q1) (f3! q2))) (= q1 q2))))))
(check-sat)
(pop 1)
(pop 1)
; action 1 run.1
(push 1)
(declare-fun c0 () S0)
(assert (= (f2 c0) E0_1))
(define-fun f2! ((q1 S0)) E0 (ite (and (= q1 c0)) E0_6 (f2 q1)))
; possible 1
(check-sat)
; keep 1 mutual_exclusion
(push 1)
(assert (not (forall ((q1 S0)) (forall ((q2 S0)) (=> (and (= (f2! q1) E0_4) (= (f2! q2) E0_4)) (= q1 q2))))))
(check-sat)
(pop 1)
; keep 1 served
(push 1)
(assert (not (forall ((q1 S0)) (=> (or (= (f2! q1) E0_4) (= (f2! q1) E0_5)) (= (f3 q1) f1)))))
(check-sat)
(pop 1)
; keep 1 drawn
(push 1)
(assert (not (forall ((q1 S0)) (=> (or (or (= (f2! q1) E0_3) (= (f2! q1) E0_4)) (= (f2! q1) E0_5)) (and (<= f1 (f3 q1)) (< (f3 q1) f0))))))
(check-sat)
(pop 1)
; keep 1 different
(push 1)
(assert (not (forall ((q1 S0)) (forall ((q2 S0)) (=> (and (and (or (or (= (f2! q1) E0_3) (= (f2! q1) E0_4)) (= (f2! q1) E0_5)) (or (or (= (f2! q2) E0_3) (= (f2! q2) E0_4)) (= (f2! q2) E0_5))) (= (f3 q1) (f3 q2))) (= q1 q2))))))
(check-sat)
(pop 1)
(pop 1)
; action 2 run.1
(push 1)
(declare-fun c0 () S0)
(assert (= (f2 c0) E0_1))
(define-fun f2! ((q1 S0)) E0 (ite (and (= q1 c0)) E0_2 (f2 q1)))
; possible 2
(check-sat)
; keep 2 mutual_exclusion
(push 1)
(assert (not (forall ((q1 S0)) (forall ((q2 S0)) (=> (and (= (f2! q1) E0_4) (= (f2! q2) E0_4)) (= q1 q2))))))
(check-sat)
(pop 1)
; keep 2 served
(push 1)
(assert (not (forall ((q1 S0)) (=> (or (= (f2! q1) E0_4) (= (f2! q1) E0_5)) (= (f3 q1) f1)))))
(check-sat)
(pop 1)
; keep 2 drawn
(push 1)
(assert (not (forall ((q1 S0)) (=> (or (or (= (f2! q1) E0_3) (= (f2! q1) E0_4)) (= (f2! q1) E0_5)) (and (<= f1 (f3 q1)) (< (f3 q1) f0))))))
(check-sat)
(pop 1)
; keep 2 different
(push 1)
(assert (not (forall ((q1 S0)) (forall ((q2 S0)) (=> (and (and (or (or (= (f2! q1) E0_3) (= (f2! q1) E0_4)) (= (f2! q1) E0_5)) (or (or (= (f2! q2) E0_3) (= (f2! q2) E0_4)) (= (f2! q2) E0_5))) (= (f3 q1) (f3 q2))) (= q1 q2))))))
(check-sat)
(pop 1)
(pop 1)
; action 3 run.2
(push 1)
(declare-fun c0 () S0)
(assert (= (f2 c0) E0_2))
(define-fun f0! () Int (+ f0 1))
(define-fun f2! ((q1 S0)) E0 (ite (and (= q1 c0)) E0_3 (f2 q1)))
(define-fun f3! ((q1 S0)) Int (ite (and (= q1 c0)) f0 (f3 q1)))
; possible 3
(check-sat)
; keep 3 range of next_ticket
(push 1)
(assert (not (<= 0 f0!)))
(check-sat)
(pop 1)
; keep 3 range of run.mine
(push 1)
(assert (not (forall ((q1 S0)) (<= 0 (f3! q1)))))
(check-sat)
(pop 1)
; keep 3 mutual_exclusion
(push 1)
(assert (not (forall ((q1 S0)) (forall ((q2 S0)) (=> (and (= (f2! q1) E0_4) (= (f2! q2) E0_4)) (= q1 q2))))))
(check-sat)
(pop 1)
; keep 3 served
(push 1)
(assert (not (forall ((q1 S0)) (=> (or (= (f2! q1) E0_4) (= (f2! q1) E0_5)) (= (f3! q1) f1)))))
(check-sat)
(pop 1)
; keep 3 drawn
(push 1)
(assert (not (forall ((q1 S0)) (=> (or (or (= (f2! q1) E0_3) (= (f2! q1) E0_4)) (= (f2! q1) E0_5)) (and (<= f1 (f3! q1)) (< (f3! q1) f0!))))))
(check-sat)
(pop 1)
; keep 3 different
(push 1)
(assert (not (forall ((q1 S0)) (forall ((q2 S0)) (=> (and (and (or (or (= (f2! q1) E0_3) (= (f2! q1) E0_4)) (= (f2! q1) E0_5)) (or (or (= (f2! q2) E0_3) (= (f2! q2) E0_4)) (= (f2! q2) E0_5))) (= (f3! q1) (f3! q2))) (= q1 q2))))))
(check-sat)
(pop 1)
; keep 3 order
(push 1)
(assert (not (<= f1 f0!)))
(check-sat)
(pop 1)
(pop 1)
; action 4 run.3
(push 1)
(declare-fun c0 () S0)
(assert (and (= (f2 c0) E0_3) (= f1 (f3 c0))))
(define-fun f2! ((q1 S0)) E0 (ite (and (= q1 c0)) E0_4 (f2 q1)))
; possible 4
(check-sat)
; keep 4 mutual_exclusion
(push 1)
(assert (not (forall ((q1 S0)) (forall ((q2 S0)) (=> (and (= (f2! q1) E0_4) (= (f2! q2) E0_4)) (= q1 q2))))))
(check-sat)
(pop 1)
; keep 4 served
(push 1)
(assert (not (forall ((q1 S0)) (=> (or (= (f2! q1) E0_4) (= (f2! q1) E0_5)) (= (f3 q1) f1)))))
(check-sat)
(pop 1)
; keep 4 drawn
(push 1)
(assert (not (forall ((q1 S0)) (=> (or (or (= (f2! q1) E0_3) (= (f2! q1) E0_4)) (= (f2! q1) E0_5)) (and (<= f1 (f3 q1)) (< (f3 q1) f0))))))
(check-sat)
(pop 1)
; keep 4 different
(push 1)
(assert (not (forall ((q1 S0)) (forall ((q2 S0)) (=> (and (and (or (or (= (f2! q1) E0_3) (= (f2! q1) E0_4)) (= (f2! q1) E0_5)) (or (or (= (f2! q2) E0_3) (= (f2! q2) E0_4)) (= (f2! q2) E0_5))) (= (f3 q1) (f3 q2))) (= q1 q2))))))
(check-sat)
(pop 1)
(pop 1)
; action 5 run.4
(push 1)
(declare-fun c0 () S0)
(assert (= (f2 c0) E0_4))
(define-fun f2! ((q1 S0)) E0 (ite (and (= q1 c0)) E0_5 (f2 q1)))
; possible 5
(check-sat)
; keep 5 mutual_exclusion
(push 1)
(assert (not (forall ((q1 S0)) (forall ((q2 S0)) (=> (and (= (f2! q1) E0_4) (= (f2! q2) E0_4)) (= q1 q2))))))
(check-sat)
(pop 1)
; keep 5 served
(push 1)
(assert (not (forall ((q1 S0)) (=> (or (= (f2! q1) E0_4) (= (f2! q1) E0_5)) (= (f3 q1) f1)))))
(check-sat)
(pop 1)
; keep 5 drawn
(push 1)
(assert (not (forall ((q1 S0)) (=> (or (or (= (f2! q1) E0_3) (= (f2! q1) E0_4)) (= (f2! q1) E0_5)) (and (<= f1 (f3 q1)) (< (f3 q1) f0))))))
(check-sat)
(pop 1)
; keep 5 different
(push 1)
(assert (not (forall ((q1 S0)) (forall ((q2 S0)) (=> (and (and (or (or (= (f2! q1) E0_3) (= (f2! q1) E0_4)) (= (f2! q1) E0_5)) (or (or (= (f2! q2) E0_3) (= (f2! q2) E0_4)) (= (f2! q2) E0_5))) (= (f3 q1) (f3 q2))) (= q1 q2))))))
(check-sat)
(pop 1)
(pop 1)
; action 6 run.5
(push 1)
(declare-fun c0 () S0)
(assert (= (f2 c0) E0_5))
(define-fun f1! () Int (+ (f3 c0) 1))
(define-fun f2! ((q1 S0)) E0 (ite (and (= q1 c0)) E0_1 (f2 q1)))
(define-fun f3! ((q1 S0)) Int (ite (and (= q1 c0)) 0 (f3 q1)))
; possible 6
(check-sat)
; keep 6 range of now_serving
(push 1)
(assert (not (<= 0 f1!)))
(check-sat)
(pop 1)
; keep 6 range of run.mine
(push 1)
(assert (not (forall ((q1 S0)) (<= 0 (f3! q1)))))
(check-sat)
(pop 1)
; keep 6 mutual_exclusion
(push 1)
(assert (not (forall ((q1 S0)) (forall ((q2 S0)) (=> (and (= (f2! q1) E0_4) (= (f2! q2) E0_4)) (= q1 q2))))))
(check-sat)
(pop 1)
; keep 6 served
(push 1)
(assert (not (forall ((q1 S0)) (=> (or (= (f2! q1) E0_4) (= (f2! q1) E0_5)) (= (f3! q1) f1!)))))
(check-sat)
(pop 1)
; keep 6 drawn
(push 1)
(assert (not (forall ((q1 S0)) (=> (or (or (= (f2! q1) E0_3) (= (f2! q1) E0_4)) (= (f2! q1) E0_5)) (and (<= f1! (f3! q1)) (< (f3! q1) f0))))))
(check-sat)
(pop 1)
; keep 6 different
(push 1)
(assert (not (forall ((q1 S0)) (forall ((q2 S0)) (=> (and (and (or (or (= (f2! q1) E0_3) (= (f2! q1) E0_4)) (= (f2! q1) E0_5)) (or (or (= (f2! q2) E0_3) (= (f2! q2) E0_4)) (= (f2! q2) E0_5))) (= (f3! q1) (f3! q2))) (= q1 q2))))))
(check-sat)
(pop 1)
; keep 6 order
(push 1)
(assert (not (<= f1! f0)))
(check-sat)
(pop 1)
(pop 1)
; state
(push 1)
; possible state
(check-sat)
; safe state mutual_exclusion
(push 1)
(assert (not (forall ((q1 S0)) (forall ((q2 S0)) (=> (and (= (f2 q1) E0_4) (= (f2 q2) E0_4)) (= q1 q2))))))
(check-sat)
(pop 1)
(pop 1)
